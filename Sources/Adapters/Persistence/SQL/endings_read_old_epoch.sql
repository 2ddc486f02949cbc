-- endings_read_old_epoch.sql: as endings_read.sql, without the fence: the transaction ids are of
-- another history, and nobody writes with this epoch any more.
SELECT xid, position, type, stream_id, project,
       abs(extract(epoch FROM statement_timestamp() - recorded_at)) >= 5
  FROM es.events
 WHERE log_epoch = $1 AND (xid, position) > ($2, $3)
   AND type IN (104, 106, 506, 711)
 ORDER BY xid, position LIMIT 100;
