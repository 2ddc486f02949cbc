-- drop_old_revocations.sql: a minute after nothing of them can still be accepted, by our clock ($1)
-- and by the database's, whichever is behind: what went too early would be missed while its tokens
-- live. A thousand at a time. Of those that expired first some may wait for Kafka, or for
-- revocations_to_bury because their subject is erased (type 106), and then the others wait with
-- them. Relies on revocations_expiry, outbox_key and the primary keys; scalar, or all of the outbox
-- may be read.
WITH old AS (
  SELECT key, subject_id FROM revocation.revocations
   WHERE expires_at < least(statement_timestamp(), $1) - interval '1 minute'
   ORDER BY expires_at LIMIT 1000
), gone AS (
  DELETE FROM revocation.revocations AS r USING old
   WHERE r.key = old.key
     AND (SELECT o.key FROM revocation.outbox AS o WHERE o.key = old.key LIMIT 1) IS NULL
     AND NOT EXISTS (SELECT FROM es.events AS e
                      WHERE e.stream_id = old.subject_id AND e.type = 106)
  RETURNING 1
)
SELECT count(*) FROM gone;
