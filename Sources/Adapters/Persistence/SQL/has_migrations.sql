-- has_migrations.sql: whether this database has ever been migrated.
SELECT to_regclass('chancery.migrations') IS NOT NULL;
