-- first_configurations.sql: the streams in which a project's configuration begins: one for each
-- root secret that made a project of this number, since that names the stream. Relies on the
-- partial index events_settings.
SELECT stream_id
  FROM es.events
 WHERE type BETWEEN 1301 AND 1399 AND project = $1 AND version = 1;
