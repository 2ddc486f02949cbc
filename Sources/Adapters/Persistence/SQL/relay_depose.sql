-- relay_depose.sql: ends the session that holds the lead ($1, $2) when the relay has not shown
-- itself for $3 seconds. By the lock, not by holder_pid: that number may belong to another by now.
-- The heartbeat may be the one before's, until who just took the lock begins its term: so its
-- session must have been silent as long. What lies ahead by more than a minute was written before
-- the server's clock was set back: who still moves writes anew within a second, and loses the lead
-- only when it is looked at before that.
SELECT pg_terminate_backend(l.pid)
  FROM es.relay_cursor AS c, pg_locks AS l, pg_database AS d, pg_stat_activity AS a
 WHERE c.heartbeat NOT BETWEEN clock_timestamp() - make_interval(secs => $3)
                           AND clock_timestamp() + interval '1 minute'
   AND a.pid = l.pid
   AND a.state_change NOT BETWEEN clock_timestamp() - make_interval(secs => $3)
                              AND clock_timestamp() + interval '1 minute'
   AND l.locktype = 'advisory' AND l.granted AND l.objsubid = 2
   AND l.classid::bigint = $1 AND l.objid::bigint = $2
   AND l.database = d.oid AND d.datname = current_database();
