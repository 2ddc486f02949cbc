-- pass_endings.sql: goes on from one place to another and holds no more; changes nothing when
-- another issuer was there first.
UPDATE es.endings_cursor
   SET log_epoch = $4, xid = $5, position = $6, leased_until = '-infinity'
 WHERE (log_epoch, xid, position) = ($1, $2, $3);
