-- relay_adopt_cluster.sql: the topic of this name has everything up to the cursor on this cluster,
-- and up to these offsets; NULL: on none.
UPDATE es.relay_cursor SET cluster_id = $2, topic = $3, acknowledged = $4
 WHERE relay_epoch = $1 RETURNING 1;
