-- hold_endings.sql: holds the ends behind a place for 30 s; no row: another issuer has them, or
-- had. Who would have them for a minute took them before the server's clock was set
-- back.
UPDATE es.endings_cursor SET leased_until = statement_timestamp() + interval '30 seconds'
 WHERE (log_epoch, xid, position) = ($1, $2, $3)
   AND leased_until NOT BETWEEN statement_timestamp()
                            AND statement_timestamp() + interval '1 minute'
RETURNING true;
