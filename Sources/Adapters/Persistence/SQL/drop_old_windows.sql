-- The longest window is a day. Relies on windows_start.
DELETE FROM limits.windows WHERE window_starts_at < statement_timestamp() - interval '2 days';
