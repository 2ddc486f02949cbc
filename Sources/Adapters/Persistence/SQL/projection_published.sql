-- projection_published.sql: the published order after a number; payloads of sessions only (types
-- 501-599 and 701-799), and nothing but its place of an event that is gone with its partition.
-- Relies on the keys of both tables: 2000 look-ups, one partition each.
SELECT l.log_index, l.stream_id, l.version, e.type, e.project, e.occurred_at, e.subject_id,
       e.grant_id,
       CASE WHEN e.type BETWEEN 501 AND 599 OR e.type BETWEEN 701 AND 799 THEN e.payload END
  FROM (SELECT log_index, stream_id, version FROM es.ledger WHERE log_index > $1
         ORDER BY log_index LIMIT 2000) AS l
  LEFT JOIN es.events AS e ON e.stream_id = l.stream_id AND e.version = l.version
 ORDER BY l.log_index;
