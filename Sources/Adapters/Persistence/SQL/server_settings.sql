-- server_settings.sql: settings of the server, in the units of pg_settings. A view in memory.
SELECT s.name, s.setting FROM pg_catalog.pg_settings AS s WHERE s.name = ANY ($1);
