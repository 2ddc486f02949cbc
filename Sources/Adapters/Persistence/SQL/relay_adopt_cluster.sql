-- relay_adopt_cluster.sql: everything up to the cursor is on this cluster; NULL: on none.
UPDATE es.relay_cursor SET cluster_id = $2 WHERE relay_epoch = $1 RETURNING 1;
