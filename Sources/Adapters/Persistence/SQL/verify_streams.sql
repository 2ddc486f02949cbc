-- verify_streams.sql: the next events behind a version of a stream, by stream and version, with all
-- that is hashed of them: 500, some 300 KiB as a rule. A statement a page: no snapshot lasts.
-- Relies on the primary keys of the partitions, in their order; the first condition leaves out
-- those that are done.
SELECT e.stream_id, e.version, e.position, e.hash, e.type, e.project, e.occurred_at, e.command_id,
       e.actor_id, e.subject_id, e.client_id, e.grant_id, e.payload, e.metadata
  FROM es.events AS e
 WHERE e.stream_id >= $1 AND (e.stream_id, e.version) > ($1, $2)
 ORDER BY e.stream_id, e.version
 LIMIT 500;
