-- partition_reach.sql: how far ahead the partitions of es.events reach, in seconds, and whether
-- rows came into the one for mistakes.
-- Its size tells: nothing is ever deleted there, and it may be asked for without any right to read.
-- Names are joined rather than resolved: a role without USAGE of schema es may ask, too.
SELECT coalesce(bool_or(pg_relation_size(u.oid) > 0) FILTER (WHERE u.relname = 'events_default'),
                false),
       coalesce(extract(epoch FROM max(u.until) FILTER (WHERE u.is_month) - u.now), 0)::bigint,
       coalesce(extract(epoch FROM max(u.until) FILTER (WHERE NOT u.is_month) - u.now), 0)::bigint
  FROM (SELECT statement_timestamp() AT TIME ZONE 'UTC' AS now, c.oid, c.relname,
               c.relname ~ '^events_t' AS is_month,
               CASE
                 WHEN c.relname ~ '^events_t[0-9]{6}$'
                   THEN to_date(right(c.relname, 6), 'YYYYMM') + interval '1 month'
                 WHEN c.relname ~ '^events_s[0-9]{4}w[0-9]{2}$'
                   THEN to_date(right(c.relname, 7), 'IYYY"w"IW') + interval '7 days'
               END AS until
          FROM pg_catalog.pg_namespace AS n
          JOIN pg_catalog.pg_class AS log ON log.relnamespace = n.oid AND log.relname = 'events'
          JOIN pg_catalog.pg_inherits AS i ON i.inhparent = log.oid
          JOIN pg_catalog.pg_class AS c ON c.oid = i.inhrelid
         WHERE n.nspname = 'es') AS u
 GROUP BY u.now;
