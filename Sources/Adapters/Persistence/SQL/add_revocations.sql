-- add_revocations.sql: puts revocations and queues them for Kafka; again, it changes nothing. A
-- session is never un-revoked, so the first row of a key stays, but for a client that came again
-- and left again; what died when it left first stays dead. Of another log it has what that one
-- says, whose numbers are not compared with its own. No key comes twice in one call.
WITH added AS (
  INSERT INTO revocations AS r (key, project, sid, client, jti, subject_id, revoked_at,
                                issued_before_at, expires_at, reason, log_id, log_index,
                                late_number, first_log_index)
  SELECT * FROM unnest($1::text[], $2::smallint[], $3::uuid[], $4::text[], $5::text[], $6::uuid[],
                       $7::timestamptz[], $8::timestamptz[], $9::timestamptz[], $10::text[],
                       $11::uuid[], $12::bigint[], $13::bigint[], $14::bigint[])
      ON CONFLICT (key) DO UPDATE
     SET revoked_at = excluded.revoked_at, expires_at = excluded.expires_at,
         reason = excluded.reason, log_id = excluded.log_id, log_index = excluded.log_index,
         late_number = excluded.late_number,
         first_log_index = CASE WHEN coalesce(r.first_log_index, r.log_index)
                                     < excluded.log_index
                                THEN coalesce(r.first_log_index, r.log_index) END,
         issued_before_at = greatest(r.issued_before_at, excluded.issued_before_at)
   WHERE (r.log_index < excluded.log_index OR r.log_id <> excluded.log_id)
     AND r.issued_before_at IS NOT NULL
  RETURNING r.log_index, r.key
)
INSERT INTO outbox (log_index, key) SELECT log_index, key FROM added
    ON CONFLICT DO NOTHING;
