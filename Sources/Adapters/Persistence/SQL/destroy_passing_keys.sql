-- destroy_passing_keys.sql: the keys of login links and hints that are a day old (Events 5),
-- as their ids tell; what they sealed nobody reads any more. However old: nobody may have run
-- for a month, or a backup was restored; class T begins with the first id there is. A thousand at
-- a time.
-- Relies on sealing_keys_alive: most of them are destroyed already.
SELECT count(es.destroy_key(old.key_id))
  FROM (SELECT key_id FROM es.sealing_keys
         WHERE key_id < es.uuid7_floor(least(statement_timestamp(), $1) - interval '1 day')
           AND destroyed_at IS NULL
         ORDER BY key_id LIMIT 1000) AS old;
