-- drop_old_keys.sql: destroyed keys of streams whose partition is gone (class T: 760 days after its
-- month), as their ids tell, by our clock ($1) and by the database's, whichever is behind; a
-- thousand at a time. Relies on the primary key.
SELECT count(es.forget_key(old.key_id))
  FROM (SELECT key_id FROM es.sealing_keys
         WHERE key_id < es.uuid7_floor(least(statement_timestamp(), $1) - interval '791 days')
           AND destroyed_at IS NOT NULL
         ORDER BY key_id LIMIT 1000) AS old;
