-- endings_read.sql: the next ends of the log that no open transaction can still come before, and
-- whether they are five seconds old: whoever ended it had that long to record what follows. One
-- from further ahead is of before the server's clock was set back, and does not wait for it.
-- Relies on index events_endings: the constants are its predicate, and the epoch stays outside the
-- comparison, as in relay_read.sql. The fence is a condition of the index, too: where it let all
-- pass for an old epoch, none of the ends behind it would end the scan. The limit is
-- RecordedEnding.pageMax.
SELECT xid, position, type, stream_id, project,
       abs(extract(epoch FROM statement_timestamp() - recorded_at)) >= 5
  FROM es.events
 WHERE log_epoch = $1 AND (xid, position) > ($2, $3)
   AND type IN (104, 106, 506, 711)
   AND xid < pg_snapshot_xmin(pg_current_snapshot())
 ORDER BY xid, position LIMIT 100;
