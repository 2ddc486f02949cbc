-- drop_buried_revocations.sql: their records are gone from Kafka. Primary key; nothing that was
-- revoked again meanwhile, or lives by our clock ($2).
DELETE FROM revocation.revocations AS r
 WHERE r.key = ANY ($1::text[])
   AND r.expires_at < least(statement_timestamp(), $2) - interval '1 minute';
