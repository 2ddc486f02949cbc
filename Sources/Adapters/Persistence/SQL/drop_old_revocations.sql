-- drop_old_revocations.sql: a minute after nothing of them can still be accepted; those of erased
-- subjects (type 106) wait for revocations_to_bury. Relies on revocations_expiry, and on the
-- primary key of es.events.
DELETE FROM revocation.revocations AS r
 WHERE r.expires_at < statement_timestamp() - interval '1 minute'
   AND NOT EXISTS (SELECT FROM revocation.outbox AS o WHERE o.key = r.key)
   AND NOT EXISTS (SELECT FROM es.events AS e WHERE e.stream_id = r.subject_id AND e.type = 106);
