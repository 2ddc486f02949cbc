-- window_has_counted.sql: whether a window has counted anything. Relies on the primary key.
SELECT EXISTS (
  SELECT FROM limits.windows
   WHERE (key, window_seconds, window_starts_at) = ($1, $2, $3)
);
