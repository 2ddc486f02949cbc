-- endings_cursor.sql: where the issuers are in the ends of the log, whether none of them goes
-- through some now, one more than the highest transaction that has ended, and when this server was
-- started, as server_start.sql has it.
SELECT c.log_epoch, c.xid, c.position, l.current_epoch,
       c.leased_until NOT BETWEEN statement_timestamp()
                              AND statement_timestamp() + interval '1 minute',
       pg_snapshot_xmax(pg_current_snapshot()),
       (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint
  FROM es.endings_cursor AS c, es.log AS l;
