-- find_sealing_keys.sql: keys of subjects; the wrapped bytes are null once one is destroyed. Those
-- there never were are left out. Relies on the primary key (key_id): one index look-up per id.
SELECT key_id, project, kek_version, wrapped, commitment FROM es.sealing_keys
 WHERE key_id = ANY ($1);
