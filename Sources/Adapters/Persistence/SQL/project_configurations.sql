-- project_configurations.sql: every event of every project's configuration and keys, in the order
-- a fold wants them. Relies on the partial index events_settings.
SELECT stream_id, version, type, occurred_at, project, subject_id, client_id, grant_id, hash,
       payload
  FROM es.events
 WHERE type BETWEEN 1201 AND 1399
 ORDER BY stream_id, version;
