-- revocations_to_bury.sql: what nobody can accept any more, of subjects that are erased (type 106).
-- Relies on revocations_expiry: others are dropped within seconds of that time.
SELECT r.key
  FROM revocation.revocations AS r
 WHERE r.expires_at < statement_timestamp() - interval '1 minute'
   AND NOT EXISTS (SELECT FROM revocation.outbox AS o WHERE o.key = r.key)
   AND EXISTS (SELECT FROM es.events AS e WHERE e.stream_id = r.subject_id AND e.type = 106)
 ORDER BY r.expires_at
 LIMIT 500;
