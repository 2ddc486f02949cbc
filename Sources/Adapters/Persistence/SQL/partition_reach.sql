-- partition_reach.sql: how far ahead the partitions of es.events reach, in seconds, and whether
-- rows came into the one for mistakes.
-- Its size tells: nothing is ever deleted there, and it may be asked for without any right to read.
SELECT pg_relation_size('es.events_default') > 0,
       coalesce(extract(epoch FROM max(u.until) FILTER (WHERE u.is_month) - u.now), 0)::bigint,
       coalesce(extract(epoch FROM max(u.until) FILTER (WHERE NOT u.is_month) - u.now), 0)::bigint
  FROM (SELECT statement_timestamp() AT TIME ZONE 'UTC' AS now,
               c.relname ~ '^events_t' AS is_month,
               CASE
                 WHEN c.relname ~ '^events_t[0-9]{6}$'
                   THEN to_date(right(c.relname, 6), 'YYYYMM') + interval '1 month'
                 WHEN c.relname ~ '^events_s[0-9]{4}w[0-9]{2}$'
                   THEN to_date(right(c.relname, 7), 'IYYY"w"IW') + interval '7 days'
               END AS until
          FROM pg_catalog.pg_inherits AS i JOIN pg_catalog.pg_class AS c ON c.oid = i.inhrelid
         WHERE i.inhparent = 'es.events'::regclass) AS u
 GROUP BY u.now;
