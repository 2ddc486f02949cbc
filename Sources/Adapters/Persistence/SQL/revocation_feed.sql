-- revocation_feed.sql: relevant revocations of a project after a number, up to the frontier.
-- Relies on index revocations_feed (project, log_index).
SELECT r.key, r.sid, r.client, r.jti, r.subject_id, r.revoked_at, r.issued_before_at, r.expires_at,
       r.reason, r.log_id, r.log_index, r.late_number
  FROM revocation.revocations AS r
 WHERE r.project = $1 AND r.log_index > $2 AND r.log_index <= $3
   AND r.expires_at > statement_timestamp()
 ORDER BY r.log_index LIMIT $4;
