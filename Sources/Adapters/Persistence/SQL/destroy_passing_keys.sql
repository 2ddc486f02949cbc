-- destroy_passing_keys.sql: the keys of login links and hints born between two instants, their ids
-- begin with their birth; what they sealed nobody reads any more. A thousand at a time.
-- Relies on sealing_keys_alive: most of them are destroyed already.
SELECT count(es.destroy_key(old.key_id))
  FROM (SELECT key_id FROM es.sealing_keys
         WHERE key_id >= $1 AND key_id < $2 AND destroyed_at IS NULL
         ORDER BY key_id LIMIT 1000) AS old;
