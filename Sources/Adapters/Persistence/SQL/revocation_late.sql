-- revocation_late.sql: those that came after the frontier had passed their number.
-- Relies on index revocations_late (project, late_number).
SELECT r.key, r.sid, r.client, r.jti, r.subject_id, r.revoked_at, r.issued_before_at, r.expires_at,
       r.reason, r.log_id, r.log_index, r.late_number
  FROM revocation.revocations AS r
 WHERE r.project = $1 AND r.late_number > $2 AND r.late_number <= $3
   AND r.expires_at > statement_timestamp()
 ORDER BY r.late_number LIMIT $4;
