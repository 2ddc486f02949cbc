-- stream_changes.sql: one stream's newest events before a version, newest first, with their
-- metadata. Relies on the primary key (stream_id, version), backwards.
SELECT e.stream_id, e.version, e.type, e.occurred_at, e.project,
       e.subject_id, e.client_id, e.grant_id, e.hash, e.payload, e.metadata
  FROM es.events AS e
 WHERE e.stream_id = $1 AND e.version < $2
 ORDER BY e.version DESC
 LIMIT $3;
