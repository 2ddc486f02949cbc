-- projection_state.sql: where a projection stands on a topic; no row before its first batch.
SELECT o.partition, o.cluster_id, o.next_offset,
       coalesce((SELECT a.last_log_index FROM revocation.applied AS a
                  WHERE a.projection = o.projection AND a.partition = o.partition
                    AND a.log_id = $3), -1)
  FROM revocation.offsets AS o WHERE o.projection = $1 AND o.topic = $2;
