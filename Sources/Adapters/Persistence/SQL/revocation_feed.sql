-- revocation_feed.sql: projection_log.sql, and after a place in the log the relevant revocations of
-- a project: those that came after the frontier had passed their number, else those up to the
-- frontier. One statement, one snapshot: what is said of the log is true of the rows. Without any
-- there is one row, of the log alone. Nothing is called complete while a row that had a number up
-- to the frontier has gone on to one beyond it. What has expired by one clock alone, ours ($6) or
-- the database's, is told: whoever gets this page never sees it again.
-- Relies on indexes revocations_late (project, late_number), revocations_feed (project, log_index),
-- revocations_moved (the same, of the few that have another number than at first).
WITH state AS MATERIALIZED (
  SELECT l.log_id, coalesce(p.frontier, -1) AS frontier,
         CASE WHEN p.complete_through <= clock_timestamp() + interval '2 seconds'
               AND NOT EXISTS (SELECT FROM revocation.revocations AS m
                                WHERE m.project = $2 AND m.log_index > p.frontier
                                  AND m.first_log_index <= p.frontier)
              THEN p.complete_through END AS complete_through,
         p.complete_index,
         coalesce(p.late_number, 0) AS late_number,
         coalesce((SELECT g.generation FROM revocation.progress AS g WHERE g.projection = $1), 1),
         p.model
    FROM es.log AS l
    LEFT JOIN revocation.progress AS p ON p.projection = $1 AND p.log_id = l.log_id
), late AS MATERIALIZED (
  SELECT true AS is_late, r.key, r.sid, r.client, r.jti, r.subject_id, r.revoked_at,
         r.issued_before_at, r.expires_at, r.reason, r.log_id, r.log_index, r.late_number
    FROM revocation.revocations AS r
   WHERE r.project = $2 AND r.late_number > $4
     AND r.late_number <= (SELECT s.late_number FROM state AS s)
     AND r.expires_at > least(statement_timestamp(), $6)
   ORDER BY r.late_number LIMIT $5
), next AS MATERIALIZED (
  SELECT false AS is_late, r.key, r.sid, r.client, r.jti, r.subject_id, r.revoked_at,
         r.issued_before_at, r.expires_at, r.reason, r.log_id, r.log_index, r.late_number
    FROM revocation.revocations AS r
   WHERE r.project = $2 AND r.log_index > $3
     AND r.log_index <= (SELECT s.frontier FROM state AS s)
     AND r.expires_at > least(statement_timestamp(), $6) AND NOT EXISTS (SELECT FROM late)
   ORDER BY r.log_index LIMIT $5
)
SELECT s.*, r.*
  FROM state AS s
  LEFT JOIN (SELECT * FROM late UNION ALL SELECT * FROM next) AS r ON true;
