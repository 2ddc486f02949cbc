-- relay_show_life.sql: no row when another relay has the lead.
UPDATE es.relay_cursor SET heartbeat = clock_timestamp() WHERE relay_epoch = $1 RETURNING 1;
