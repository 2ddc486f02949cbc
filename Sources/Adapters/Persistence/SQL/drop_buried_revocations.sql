-- drop_buried_revocations.sql: their records are gone from Kafka. Primary key; nothing that was
-- revoked again meanwhile.
DELETE FROM revocation.revocations AS r
 WHERE r.key = ANY ($1::text[])
   AND r.expires_at < statement_timestamp() - interval '1 minute';
