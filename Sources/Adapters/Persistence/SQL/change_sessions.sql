-- change_sessions.sql: later events of sessions; earlier ones change nothing.
UPDATE sessions AS s
   SET version = u.version, seen_at = coalesce(u.seen_at, s.seen_at),
       ended_at = coalesce(u.ended_at, s.ended_at), reason = coalesce(u.reason, s.reason),
       status = CASE WHEN u.ended_at IS NULL THEN s.status ELSE 'ended' END
  FROM unnest($1::uuid[], $2::integer[], $3::timestamptz[], $4::timestamptz[], $5::text[])
       AS u (sid, version, seen_at, ended_at, reason)
 WHERE s.sid = u.sid AND s.version < u.version;
