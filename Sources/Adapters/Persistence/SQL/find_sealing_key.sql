-- A subject's key; the wrapped bytes are null once it is destroyed. Primary key (key_id).
SELECT key_id, project, kek_version, wrapped, commitment FROM es.sealing_keys WHERE key_id = $1;
