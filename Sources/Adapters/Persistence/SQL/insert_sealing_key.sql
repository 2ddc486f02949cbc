-- insert_sealing_key.sql: a subject's wrapped key, unless there is one. Primary key (key_id).
INSERT INTO es.sealing_keys (key_id, project, kek_version, wrapped, commitment)
VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (key_id) DO NOTHING;
