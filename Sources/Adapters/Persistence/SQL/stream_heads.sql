-- stream_heads.sql: the newest version of each stream, 0 when there is none, in the order asked.
-- Relies on the primary key, backwards: one index entry per stream.
SELECT coalesce((SELECT e.version FROM es.events AS e WHERE e.stream_id = wanted.stream_id
                  ORDER BY e.version DESC LIMIT 1), 0)
  FROM unnest($1) WITH ORDINALITY AS wanted (stream_id, number)
 ORDER BY wanted.number;
