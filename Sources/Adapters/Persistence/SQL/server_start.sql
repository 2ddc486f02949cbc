-- server_start.sql: when this server was started, in microseconds: another number, another server.
SELECT (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint;
