-- pass_endings.sql: goes on from one place to another and holds no more; changes nothing when
-- another issuer was there first, nor at another server than the one whose start $7 is, as
-- server_start.sql has it: what was done at that one may be missing here.
UPDATE es.endings_cursor
   SET log_epoch = $4, xid = $5, position = $6, leased_until = '-infinity'
 WHERE (log_epoch, xid, position) = ($1, $2, $3)
   AND (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint = $7;
