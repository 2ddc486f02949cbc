-- Where the issuers are in the ends of the log; no row while one of them goes through some.
SELECT c.log_epoch, c.xid, c.position, l.current_epoch
  FROM es.endings_cursor AS c, es.log AS l
 WHERE c.leased_until <= statement_timestamp();
