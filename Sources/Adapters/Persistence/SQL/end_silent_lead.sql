-- end_silent_lead.sql: ends the session that holds the lead ($1, $2) when it has asked nothing for
-- $3 seconds, or since before the server's clock was set back by more than a minute. A frozen
-- process keeps its session, and so does, for hours, a host without power.
SELECT pg_terminate_backend(l.pid)
  FROM pg_locks AS l, pg_database AS d, pg_stat_activity AS a
 WHERE a.pid = l.pid
   AND a.state_change NOT BETWEEN clock_timestamp() - make_interval(secs => $3)
                              AND clock_timestamp() + interval '1 minute'
   AND l.locktype = 'advisory' AND l.granted AND l.objsubid = 2
   AND l.classid::bigint = $1 AND l.objid::bigint = $2
   AND l.database = d.oid AND d.datname = current_database();
