-- project_configurations.sql: of the configuration of some projects the newest event of each type,
-- since a document is whole, and every event of their keys, in the order a fold wants them. Relies
-- on the partial index events_settings.
SELECT stream_id, version, type, occurred_at, project, subject_id, client_id, grant_id, hash,
       payload
  FROM (SELECT DISTINCT ON (project, type)
               stream_id, version, type, occurred_at, project, subject_id, client_id, grant_id,
               hash, payload
          FROM es.events
         WHERE type BETWEEN 1301 AND 1399 AND project = ANY ($1)
         ORDER BY project, type, version DESC) AS newest
UNION ALL
SELECT stream_id, version, type, occurred_at, project, subject_id, client_id, grant_id, hash,
       payload
  FROM es.events
 WHERE type BETWEEN 1201 AND 1299 AND project = ANY ($1)
 ORDER BY stream_id, version;
