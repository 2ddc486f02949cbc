-- append_events.sql: appends commands; the ordinals of the refused ones come back. One call, one
-- transaction, nothing else in it. Locks every stream named, in key order; relies on the primary
-- key for the race. Waits briefly for a lock, whatever the role may: so whoever needs one that is
-- held for long is found while the others of the call may still be sent (decision 0222). The limit
-- is set before the function is called for the one row of it, and ends with the transaction.
SELECT es.append($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
                 $19) AS refused
  FROM set_config('lock_timeout', '100ms', true);
