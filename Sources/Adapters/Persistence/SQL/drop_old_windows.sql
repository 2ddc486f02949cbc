-- drop_old_windows.sql: the longest window is a day; a thousand at a time. Relies on windows_start
-- and the primary key.
WITH old AS (
  SELECT key, window_seconds, window_starts_at FROM limits.windows
   WHERE window_starts_at < least(statement_timestamp(), $1) - interval '2 days'
   ORDER BY window_starts_at LIMIT 1000
), gone AS (
  DELETE FROM limits.windows AS w USING old
   WHERE (w.key, w.window_seconds, w.window_starts_at)
         = (old.key, old.window_seconds, old.window_starts_at)
  RETURNING 1
)
SELECT count(*) FROM gone;
