-- Destroys every key under which something of a subject was sealed: its own, and those of the
-- login links and requests that it was in. Relies on events_subject and the keys' primary key.
SELECT es.destroy_key(key.key_id)
  FROM (SELECT e.stream_id FROM es.events AS e WHERE e.subject_id = $1 UNION SELECT $1)
       AS its (stream_id)
  JOIN es.sealing_keys AS key ON key.key_id = its.stream_id
 WHERE key.destroyed_at IS NULL;
