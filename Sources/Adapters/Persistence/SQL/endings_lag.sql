-- endings_lag.sql: the age in seconds of the first end behind a place, of its history of the log,
-- due or not. Relies on index events_endings, as endings_read.sql.
SELECT abs(extract(epoch FROM statement_timestamp() - recorded_at))::bigint
  FROM es.events
 WHERE log_epoch = $1 AND (xid, position) > ($2, $3)
   AND type IN (104, 106, 506, 711)
 ORDER BY xid, position LIMIT 1;
