-- applied_migrations.sql: every step this database has taken, in order.
SELECT version, name, checksum FROM chancery.migrations ORDER BY version;
