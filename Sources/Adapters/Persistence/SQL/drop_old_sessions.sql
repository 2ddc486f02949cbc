-- drop_old_sessions.sql: sessions whose log is gone (class T: 760 days after its month), by our
-- clock ($1) and by the database's, whichever is behind; a thousand at a time. An id tells when it
-- was born. Relies on the primary key.
WITH old AS (
  SELECT sid FROM revocation.sessions
   WHERE sid < es.uuid7_floor(least(statement_timestamp(), $1) - interval '791 days')
   ORDER BY sid LIMIT 1000
), gone AS (
  DELETE FROM revocation.sessions AS s USING old WHERE s.sid = old.sid RETURNING 1
)
SELECT count(*) FROM gone;
