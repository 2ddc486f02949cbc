-- projection_log.sql: the log, how far the read model is complete, and which model that is. A claim
-- that lies ahead is of a clock that was wrong, and none.
SELECT l.log_id, coalesce(p.frontier, -1),
       CASE WHEN p.complete_through <= clock_timestamp() + interval '2 seconds'
            THEN p.complete_through END,
       p.complete_index,
       coalesce(p.late_number, 0),
       coalesce((SELECT g.generation FROM revocation.progress AS g WHERE g.projection = $1), 1),
       p.model
  FROM es.log AS l
  LEFT JOIN revocation.progress AS p ON p.projection = $1 AND p.log_id = l.log_id;
