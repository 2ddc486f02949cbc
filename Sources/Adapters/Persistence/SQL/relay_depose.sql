-- relay_depose.sql: ends the session that holds the lead ($1, $2) when the relay has not shown
-- itself for $3 seconds. By the lock, not by holder_pid: that number may belong to another by now.
SELECT pg_terminate_backend(l.pid)
  FROM es.relay_cursor AS c, pg_locks AS l, pg_database AS d
 WHERE c.heartbeat < clock_timestamp() - make_interval(secs => $3)
   AND l.locktype = 'advisory' AND l.granted AND l.objsubid = 2
   AND l.classid::bigint = $1 AND l.objid::bigint = $2
   AND l.database = d.oid AND d.datname = current_database();
