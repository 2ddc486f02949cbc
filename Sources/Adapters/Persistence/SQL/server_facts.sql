-- server_facts.sql: what durability, publication and time rest on. Views in memory; no table is
-- read, so that it answers on a database without our schema.
SELECT pg_catalog.pg_encoding_to_char(d.encoding)::text,
       (SELECT count(*) FROM pg_catalog.pg_stat_replication AS r
         WHERE r.sync_state IN ('sync', 'quorum'))::int4,
       COALESCE(
         (SELECT extract(epoch FROM max(clock_timestamp() - a.xact_start))
            FROM pg_catalog.pg_stat_activity AS a WHERE a.backend_xid IS NOT NULL), 0
       )::int4,
       clock_timestamp()
  FROM pg_catalog.pg_database AS d
 WHERE d.datname = current_database();
