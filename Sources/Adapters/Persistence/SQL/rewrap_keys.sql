-- rewrap_keys.sql: puts sealing keys as another key encryption key wraps them in the place of what
-- was read; how many were still that. Primary key (key_id).
SELECT count(*) FILTER (WHERE es.rewrap_key(key_id, before, after, version))
  FROM unnest($1::uuid[], $2::bytea[], $3::bytea[], $4::int4[])
       AS k (key_id, before, after, version);
