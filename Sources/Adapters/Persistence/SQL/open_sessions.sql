-- open_sessions.sql: new rows of the list of sessions; again, they change nothing.
INSERT INTO sessions (sid, kind, version, project, subject_id, client, status, opened_at,
                                 seen_at, expires_at, ended_at, reason, parent)
SELECT u.sid, u.kind, u.version, u.project, u.subject_id, u.client,
       CASE WHEN u.ended_at IS NULL THEN 'open' ELSE 'ended' END,
       u.opened_at, u.seen_at, u.expires_at, u.ended_at, u.reason, u.parent
  FROM unnest($1::uuid[], $2::text[], $3::integer[], $4::smallint[], $5::uuid[], $6::text[],
              $7::timestamptz[], $8::timestamptz[], $9::timestamptz[], $10::timestamptz[],
              $11::text[], $12::text[])
       AS u (sid, kind, version, project, subject_id, client, opened_at, seen_at, expires_at,
             ended_at, reason, parent)
    ON CONFLICT (sid) DO NOTHING;
