-- keys_to_rewrap.sql: of the next 500 sealing keys behind one, by id, those that another key
-- encryption key wrapped, and the last in any case: what is read is bounded, not what is found.
-- Relies on sealing_keys_alive.
SELECT key_id, project, kek_version, wrapped, commitment
  FROM (SELECT key_id, project, kek_version, wrapped, commitment,
               lead(key_id) OVER (ORDER BY key_id) IS NULL AS is_last
          FROM (SELECT key_id, project, kek_version, wrapped, commitment FROM es.sealing_keys
                 WHERE key_id > $2 AND destroyed_at IS NULL
                 ORDER BY key_id LIMIT 500) AS page) AS numbered
 WHERE kek_version <> $1 OR is_last
 ORDER BY key_id;
