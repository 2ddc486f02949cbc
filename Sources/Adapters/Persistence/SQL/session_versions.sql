-- session_versions.sql: the last version applied of each of these sessions that has a row.
SELECT s.sid, s.version FROM sessions AS s WHERE s.sid = ANY ($1::uuid[]);
