-- destroy_stream_keys.sql: destroys the keys that have the names of these streams, where there are
-- any. Relies on the keys' primary key.
SELECT es.destroy_key(key.key_id)
  FROM es.sealing_keys AS key
 WHERE key.key_id = ANY ($1) AND key.destroyed_at IS NULL;
