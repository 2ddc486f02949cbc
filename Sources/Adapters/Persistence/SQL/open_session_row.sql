-- open_session_row.sql: a new row of the list of sessions; again, it changes nothing.
INSERT INTO revocation.sessions (sid, kind, version, project, subject_id, client, status, opened_at,
                                 seen_at, expires_at, parent)
VALUES ($1, $2, $3, $4, $5, $6, 'open', $7, $7, $8, $9)
    ON CONFLICT (sid) DO NOTHING;
