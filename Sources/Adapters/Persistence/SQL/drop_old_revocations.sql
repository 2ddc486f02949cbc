-- drop_old_revocations.sql: a minute after nothing of them can still be accepted.
DELETE FROM revocation.revocations AS r
 WHERE r.expires_at < statement_timestamp() - interval '1 minute'
   AND NOT EXISTS (SELECT FROM revocation.outbox AS o WHERE o.key = r.key);
