-- relay_record.sql: keeps the numbers of published rows and moves the cursor, together or not at
-- all; no row when another relay has the lead.
WITH moved AS (
  UPDATE es.relay_cursor
     SET log_epoch = $2, xid = $3, position = $4, next_index = $5, heartbeat = clock_timestamp(),
         acknowledged = $13
   WHERE relay_epoch = $1
  RETURNING 1
), kept AS (
  INSERT INTO es.ledger (log_index, log_epoch, xid, position, stream_id, version, hash)
  SELECT u.log_index, u.log_epoch, u.xid, u.position, u.stream_id, u.version, u.hash
    FROM moved, unnest($6::bigint[], $7::smallint[], $8::xid8[], $9::bigint[], $10::uuid[],
                       $11::integer[], $12::bytea[])
         AS u (log_index, log_epoch, xid, position, stream_id, version, hash)
)
SELECT 1 FROM moved;
