-- change_session_row.sql: a later event of a session; an earlier one changes nothing.
UPDATE revocation.sessions
   SET version = $2, seen_at = coalesce($3, seen_at), ended_at = coalesce($4, ended_at),
       reason = coalesce($5, reason),
       status = CASE WHEN $4::timestamptz IS NULL THEN status ELSE 'ended' END
 WHERE sid = $1 AND version < $2;
