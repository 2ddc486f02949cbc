-- missing_partitions.sql: the partitions that ensure_partitions.sql would add now, by the names
-- that es.ensure_partitions gives; changes nothing.
-- Names are joined rather than resolved: a role without USAGE of schema es may ask, too.
WITH today (month, week) AS (
  SELECT date_trunc('month', now), date_trunc('week', now)
    FROM (SELECT statement_timestamp() AT TIME ZONE 'UTC' AS now) AS clock
), wanted (place, name) AS (
  SELECT 1, unnest(ARRAY['events_permanent', 'events_keyed', 'events_default'])
  UNION ALL
  SELECT 2, 'events_t' || to_char(start, 'YYYYMM')
    FROM today,
         generate_series(month - interval '1 month', month + interval '3 months',
                         interval '1 month') AS start
  UNION ALL
  SELECT 3, 'events_s' || to_char(start, 'IYYY"w"IW')
    FROM today,
         generate_series(week - interval '7 days', week + interval '35 days',
                         interval '7 days') AS start
)
SELECT wanted.name
  FROM wanted
 WHERE NOT EXISTS (SELECT
                     FROM pg_catalog.pg_namespace AS n
                     JOIN pg_catalog.pg_class AS c ON c.relnamespace = n.oid
                    WHERE n.nspname = 'es' AND c.relname = wanted.name)
 ORDER BY wanted.place, wanted.name;
