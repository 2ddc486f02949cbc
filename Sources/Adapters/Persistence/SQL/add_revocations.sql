-- add_revocations.sql: puts revocations and queues them for Kafka; again, it changes nothing. A
-- session is never un-revoked, so the first row of a key stays.
WITH added AS (
  INSERT INTO revocations (key, project, sid, client, jti, subject_id, revoked_at,
                                      expires_at, reason, log_id, log_index, late_number)
  SELECT * FROM unnest($1::text[], $2::smallint[], $3::uuid[], $4::text[], $5::text[], $6::uuid[],
                       $7::timestamptz[], $8::timestamptz[], $9::text[], $10::uuid[],
                       $11::bigint[], $12::bigint[])
      ON CONFLICT (key) DO NOTHING
  RETURNING log_index, key
)
INSERT INTO outbox (log_index, key) SELECT log_index, key FROM added
    ON CONFLICT DO NOTHING;
