-- Where the commands of these streams came from, also those that were given before it was known
-- whose they are, such as the first request of a login. Relies on the primary keys of both tables:
-- an array, since a join might walk through all contexts there are.
DELETE FROM es.contexts AS c
 WHERE c.command_id = ANY (ARRAY(
         SELECT e.command_id
           FROM unnest($1) AS its (stream_id)
           JOIN es.events AS e ON e.stream_id = its.stream_id));
