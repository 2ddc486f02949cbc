-- lock_migrations.sql: one migration at a time: a second one waits here, then finds everything
-- done. Session lock, released when the connection ends.
SELECT pg_advisory_lock(7164775599462149729);
