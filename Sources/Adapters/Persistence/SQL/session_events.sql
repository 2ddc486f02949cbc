-- session_events.sql: what one session left in the log, oldest first.
-- Relies on events_grant (grant_id, position).
SELECT e.type, e.version, e.occurred_at, e.stream_id, e.position
  FROM es.events AS e
 WHERE e.grant_id = $1
 ORDER BY e.position
 LIMIT 1000;
