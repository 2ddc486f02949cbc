-- hold_endings.sql: holds the ends behind a place for 30 s; no row: another issuer has them, or
-- had.
UPDATE es.endings_cursor SET leased_until = statement_timestamp() + interval '30 seconds'
 WHERE (log_epoch, xid, position) = ($1, $2, $3) AND leased_until <= statement_timestamp()
RETURNING true;
