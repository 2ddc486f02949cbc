-- What was opened for a subject is found however much has happened to it since
-- (Persistence/SQL/subject_streams.sql).
CREATE INDEX events_opened ON es.events (subject_id, position)
  WHERE type IN (201, 301, 501, 701, 801, 1001);
