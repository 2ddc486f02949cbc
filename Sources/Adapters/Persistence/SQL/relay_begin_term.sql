-- relay_begin_term.sql: fences the relays before; only the holder of the lead may run it. Of a
-- topic of another name than $1 no cluster has anything.
UPDATE es.relay_cursor
   SET relay_epoch = relay_epoch + 1, holder_pid = pg_backend_pid(), heartbeat = clock_timestamp(),
       topic = coalesce(topic, $1)
RETURNING relay_epoch, log_epoch, xid, position, next_index,
          CASE WHEN topic = $1 THEN cluster_id END,
          (SELECT log_id FROM es.log), (SELECT current_epoch FROM es.log), acknowledged;
