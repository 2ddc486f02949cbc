-- projection_move.sql: offsets, last numbers and frontier, in the transaction of their rows. In
-- another log numbers mean something else, and on another timeline of PostgreSQL the last ones may
-- be lost and come again, so the model is another one for who reads the feed. The new timeline is
-- the column's default.
WITH moved AS (
  INSERT INTO offsets (projection, topic, partition, cluster_id, next_offset)
  SELECT $1, $2, u.partition, $3, u.next_offset
    FROM unnest($4::integer[], $5::bigint[]) AS u (partition, next_offset)
      ON CONFLICT (projection, topic, partition)
      DO UPDATE SET cluster_id = excluded.cluster_id, next_offset = excluded.next_offset
), counted AS (
  INSERT INTO applied (projection, log_id, partition, last_log_index)
  SELECT $1, $6, u.partition, u.last_log_index
    FROM unnest($7::integer[], $8::bigint[]) AS u (partition, last_log_index)
      ON CONFLICT (projection, log_id, partition)
      DO UPDATE SET last_log_index = excluded.last_log_index
)
INSERT INTO progress (projection, log_id, frontier, complete_through, complete_index,
                                 late_number, generation)
VALUES ($1, $6, $9, $10, $11, $12, $13)
    ON CONFLICT (projection) DO UPDATE SET log_id = excluded.log_id,
       model = CASE WHEN progress.log_id = excluded.log_id
                     AND progress.timeline = excluded.timeline THEN progress.model
                    ELSE excluded.model END,
       timeline = excluded.timeline,
       frontier = excluded.frontier,
       complete_through = excluded.complete_through,
       complete_index = excluded.complete_index,
       late_number = excluded.late_number;
