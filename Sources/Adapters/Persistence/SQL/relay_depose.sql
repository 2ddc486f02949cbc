-- relay_depose.sql: ends the session that holds the lead ($1, $2) when the relay has not shown
-- itself for $3 seconds. By the lock, not by holder_pid: that number may belong to another by now.
-- The heartbeat may be the one before's, until who just took the lock begins its term: so its
-- session must have been silent as long.
SELECT pg_terminate_backend(l.pid)
  FROM es.relay_cursor AS c, pg_locks AS l, pg_database AS d, pg_stat_activity AS a
 WHERE c.heartbeat < clock_timestamp() - make_interval(secs => $3)
   AND a.pid = l.pid AND a.state_change < clock_timestamp() - make_interval(secs => $3)
   AND l.locktype = 'advisory' AND l.granted AND l.objsubid = 2
   AND l.classid::bigint = $1 AND l.objid::bigint = $2
   AND l.database = d.oid AND d.datname = current_database();
