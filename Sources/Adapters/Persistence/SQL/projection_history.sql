-- projection_history.sql: versions of one stream with their numbers in the published order.
SELECT e.version, e.type, e.project, e.occurred_at, e.subject_id, e.grant_id, e.payload,
       es.log_index_of(e.log_epoch, e.xid, e.position)
  FROM es.events AS e
 WHERE e.stream_id = $1 AND e.version > $2 AND e.version <= $3
 ORDER BY e.version LIMIT 2000;
