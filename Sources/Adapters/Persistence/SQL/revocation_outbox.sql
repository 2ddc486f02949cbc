-- revocation_outbox.sql: revocations that are not on Kafka yet, oldest first. Their tables are
-- locked in the order in which the switch of a rebuild locks them.
SELECT r.key, r.sid, r.client, r.jti, r.subject_id, r.revoked_at, r.issued_before_at, r.expires_at,
       r.reason, r.log_id, r.log_index, r.late_number
  FROM revocation.revocations AS r JOIN revocation.outbox AS o USING (key)
 ORDER BY o.log_index LIMIT 500;
