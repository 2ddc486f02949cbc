-- relay_published.sql: published rows again; an event that is gone with its partition is null.
-- Relies on the keys of both tables: 1000 look-ups, one partition each.
SELECT l.log_index, l.log_epoch, l.xid, l.position, e.stream_id IS NOT NULL,
       e.project, l.stream_id, l.version, e.type, e.occurred_at, e.command_id, e.actor_id,
       e.subject_id, e.client_id, e.grant_id, l.hash, e.payload, e.metadata
  FROM (SELECT * FROM es.ledger WHERE log_index >= $1 AND log_index < $2
         ORDER BY log_index LIMIT 1000) AS l
  LEFT JOIN es.events AS e ON e.stream_id = l.stream_id AND e.version = l.version
 ORDER BY l.log_index;
