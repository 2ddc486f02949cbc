-- The next ends of the log that are five seconds old: whoever ended it had that long to record
-- what follows. $4: the fence of relay_read.sql holds, i.e. the epoch is the current one.
-- Relies on index events_endings: the constants are its predicate, and the epoch stays outside the
-- comparison, as in relay_read.sql. The limit is RecordedEnding.pageMax.
SELECT xid, position, type, stream_id, project,
       recorded_at <= statement_timestamp() - interval '5 seconds'
  FROM es.events
 WHERE log_epoch = $1 AND (xid, position) > ($2, $3)
   AND type IN (104, 106, 506, 711)
   AND (NOT $4 OR xid < pg_snapshot_xmin(pg_current_snapshot()))
 ORDER BY xid, position LIMIT 100;
