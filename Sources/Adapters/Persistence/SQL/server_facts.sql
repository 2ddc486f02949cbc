-- server_facts.sql: what durability and time rest on, and whether this role is told all of it.
-- Views in memory; no table is read, so that it answers on a database without our schema.
SELECT pg_catalog.pg_encoding_to_char(d.encoding)::text,
       (SELECT count(*) FROM pg_catalog.pg_stat_replication AS r
         WHERE r.sync_state IN ('sync', 'quorum'))::int4,
       pg_catalog.pg_has_role('pg_read_all_stats', 'USAGE'),
       clock_timestamp()
  FROM pg_catalog.pg_database AS d
 WHERE d.datname = current_database();
