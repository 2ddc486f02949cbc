-- lock_holders.sql: whom a session waits for, the oldest transaction first; 0 is a prepared one.
-- Views in memory. How long others' last is told to members of pg_read_all_stats alone.
SELECT b.pid, coalesce(a.usename::text, ''),
       coalesce(nullif(a.application_name, ''), a.backend_type, ''),
       floor(extract(epoch FROM clock_timestamp() - a.xact_start))::bigint
  FROM (SELECT DISTINCT unnest(pg_catalog.pg_blocking_pids($1)) AS pid) AS b
  LEFT JOIN pg_catalog.pg_stat_activity AS a ON a.pid = b.pid
 ORDER BY a.xact_start, b.pid LIMIT 5;
