-- record_migration.sql: notes a step in the transaction that takes it.
INSERT INTO chancery.migrations (version, name, checksum) VALUES ($1, $2, $3);
