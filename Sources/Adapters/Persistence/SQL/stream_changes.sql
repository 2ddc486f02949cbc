-- stream_changes.sql: the metadata of one stream's newest events, newest first. Relies on the
-- primary key (stream_id, version), backwards.
SELECT e.version, e.metadata
  FROM es.events AS e
 WHERE e.stream_id = $1
 ORDER BY e.version DESC
 LIMIT $2;
