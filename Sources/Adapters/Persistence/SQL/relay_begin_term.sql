-- relay_begin_term.sql: fences the relays before; only the holder of the lead may run it.
UPDATE es.relay_cursor
   SET relay_epoch = relay_epoch + 1, holder_pid = pg_backend_pid(), heartbeat = clock_timestamp()
RETURNING relay_epoch, log_epoch, xid, position, next_index, cluster_id,
          (SELECT log_id FROM es.log), (SELECT current_epoch FROM es.log);
