-- append_events.sql: appends commands; the ordinals of the refused ones come back. One call, one
-- transaction, nothing else in it. Locks every stream named, in key order; relies on the primary
-- key for the race.
SELECT refused FROM es.append($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16,
                              $17, $18, $19) AS refused;
