-- hold_off_rebuilds.sql: false while a read model is rebuilt; from then on none is begun until the
-- session ends: its tables are copies of those that a migration may change.
SELECT pg_try_advisory_lock(hashtext('chancery.rebuild'), 0);
