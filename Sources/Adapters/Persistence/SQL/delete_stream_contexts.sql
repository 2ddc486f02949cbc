-- delete_stream_contexts.sql: where the commands of these streams came from, also those that were
-- given before it was known whose they are, such as the first request of a login; of 200 events of
-- each stream after version $2. How many events that were. Relies on the primary keys of both
-- tables: an array, since a join might walk through all contexts there are.
WITH seen AS MATERIALIZED (
  SELECT e.command_id
    FROM unnest($1) AS its (stream_id)
    JOIN es.events AS e
      ON e.stream_id = its.stream_id AND e.version > $2 AND e.version <= $2 + 200
), gone AS (
  DELETE FROM es.contexts AS c WHERE c.command_id = ANY (ARRAY(SELECT s.command_id FROM seen AS s))
)
SELECT count(*) FROM seen;
