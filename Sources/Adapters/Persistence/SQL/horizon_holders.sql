-- horizon_holders.sql: who keeps the relay from going on or the server from forgetting, the oldest
-- first. Transactions that write hold the fence, in any database; those that read here, prepared
-- ones and replication slots keep dead rows that they might see, but for a vacuum's own snapshot.
-- Who has committed and waits for a synchronous standby is one of its own kind: it must not be
-- ended. Views in memory; any role may ask, but of other roles' sessions only members of
-- pg_read_all_stats are told how long they last.
SELECT h.kind, h.process, h.name, h.role, h.writes, h.seconds, h.transactions
  FROM (
    SELECT CASE WHEN a.wait_event = 'SyncRep' THEN 'standby' ELSE 'session' END AS kind,
           a.pid AS process,
           coalesce(nullif(a.application_name, ''), a.backend_type, '') AS name,
           coalesce(a.usename::text, '') AS role, a.backend_xid IS NOT NULL AS writes,
           floor(extract(epoch FROM clock_timestamp() - a.xact_start))::bigint AS seconds,
           greatest(age(a.backend_xmin), age(a.backend_xid))::bigint AS transactions
      FROM pg_catalog.pg_stat_activity AS a
     WHERE a.pid <> pg_catalog.pg_backend_pid()
       AND (a.backend_xid IS NOT NULL
            OR a.backend_xmin IS NOT NULL
               AND (a.datname IS NULL OR a.datname = pg_catalog.current_database())
               AND NOT EXISTS (SELECT FROM pg_catalog.pg_stat_progress_vacuum AS v
                                WHERE v.pid = a.pid))
    UNION ALL
    SELECT 'prepared', 0, p.gid, p.owner::text, true,
           floor(extract(epoch FROM clock_timestamp() - p.prepared))::bigint,
           age(p.transaction)::bigint
      FROM pg_catalog.pg_prepared_xacts AS p
    UNION ALL
    SELECT 'slot', coalesce(s.active_pid, 0), s.slot_name::text, '', false, NULL::bigint,
           greatest(age(s.xmin), age(s.catalog_xmin))::bigint
      FROM pg_catalog.pg_replication_slots AS s
     WHERE s.xmin IS NOT NULL OR s.catalog_xmin IS NOT NULL
  ) AS h
 ORDER BY h.transactions DESC LIMIT 100;
