-- windows_have_room.sql: whether each window would count one use more. Relies on the primary key:
-- by its start, where no key is, it would read every window that began then.
SELECT NOT EXISTS (
  SELECT FROM unnest($1::bytea[], $2::int[], $3::timestamptz[], $4::int[])
           AS u (k, seconds, starts, maximum)
    JOIN limits.windows AS w
      ON (w.key, w.window_seconds) = (k, seconds)
     AND w.window_starts_at + interval '0' = starts
   WHERE w.count >= maximum
);
