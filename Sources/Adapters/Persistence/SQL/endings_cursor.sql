-- endings_cursor.sql: where the issuers are in the ends of the log, whether none of them goes
-- through some now, and one more than the highest transaction that has ended.
SELECT c.log_epoch, c.xid, c.position, l.current_epoch,
       c.leased_until NOT BETWEEN statement_timestamp()
                              AND statement_timestamp() + interval '1 minute',
       pg_snapshot_xmax(pg_current_snapshot())
  FROM es.endings_cursor AS c, es.log AS l;
