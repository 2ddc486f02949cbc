-- settings_heads.sql: of every project the newest event of each type of its configuration and keys;
-- its hash stands for all that came before it. Relies on the partial index events_settings.
SELECT DISTINCT ON (project, type) project, type, version, hash
  FROM es.events
 WHERE type BETWEEN 1201 AND 1399
 ORDER BY project, type, version DESC;
