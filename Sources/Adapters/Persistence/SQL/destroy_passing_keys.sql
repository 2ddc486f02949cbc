-- destroy_passing_keys.sql: the keys of login links and hints born between two instants; what they
-- sealed nobody reads any more. Relies on the primary key: their ids begin with their birth.
SELECT es.destroy_key(key_id) FROM es.sealing_keys
 WHERE key_id >= $1 AND key_id < $2 AND destroyed_at IS NULL;
