-- block_keys.sql: stops keys; the first reason of each stays.
INSERT INTO blocked (projection, key, partition, record_offset, log_index, stream_id,
                                reason)
SELECT $1, u.key, u.partition, u.record_offset, u.log_index, u.stream_id, u.reason
  FROM unnest($2::bytea[], $3::integer[], $4::bigint[], $5::bigint[], $6::uuid[], $7::text[])
       AS u (key, partition, record_offset, log_index, stream_id, reason)
    ON CONFLICT DO NOTHING;
