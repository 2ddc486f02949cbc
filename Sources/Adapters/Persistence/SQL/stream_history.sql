-- stream_history.sql: the next events of one stream behind a version, oldest first. Relies on the
-- primary key.
SELECT e.stream_id, e.version, e.type, e.occurred_at, e.project,
       e.subject_id, e.client_id, e.grant_id, e.hash, e.payload
  FROM es.events AS e
 WHERE e.stream_id = $1 AND e.version > $2
 ORDER BY e.version
 LIMIT 1000;
