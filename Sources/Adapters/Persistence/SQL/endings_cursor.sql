-- Where the issuers are in the ends of the log, and whether none of them goes through some now.
SELECT c.log_epoch, c.xid, c.position, l.current_epoch, c.leased_until <= statement_timestamp()
  FROM es.endings_cursor AS c, es.log AS l;
