-- Every event of one stream, oldest first, at most 10 000. Relies on the primary key.
SELECT e.stream_id, e.version, e.type, e.occurred_at, e.project,
       e.subject_id, e.client_id, e.grant_id, e.hash, e.payload
  FROM es.events AS e
 WHERE e.stream_id = $1
 ORDER BY e.version
 LIMIT 10000;
