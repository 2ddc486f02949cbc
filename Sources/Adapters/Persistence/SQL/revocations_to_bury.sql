-- revocations_to_bury.sql: what nobody can accept any more, by our clock ($1) and by the
-- database's, of subjects that are erased (type 106). Among the thousand that expired first: the
-- others of these are dropped within seconds, or wait for Kafka. Relies on revocations_expiry,
-- outbox_key and the primary key of es.events; scalar, or all of the outbox may be read.
SELECT old.key
  FROM (SELECT key, subject_id FROM revocation.revocations
         WHERE expires_at < least(statement_timestamp(), $1) - interval '1 minute'
         ORDER BY expires_at LIMIT 1000) AS old
 WHERE (SELECT o.key FROM revocation.outbox AS o WHERE o.key = old.key LIMIT 1) IS NULL
   AND EXISTS (SELECT FROM es.events AS e WHERE e.stream_id = old.subject_id AND e.type = 106)
 LIMIT 500;
