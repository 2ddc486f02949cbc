-- verify_published.sql: as verify_ledger.sql, 500 at a time, each with the hash of the event before
-- it in its stream, which its own is linked to, and with all that is hashed of it.
SELECT l.log_index, l.stream_id, l.version, l.position, l.hash, e.hash,
       e.log_epoch = l.log_epoch AND e.xid = l.xid AND e.position = l.position,
       l.stream_id < es.uuid7_floor(statement_timestamp() - interval '760 days')
       OR l.stream_id >= '40000000-0000-0000-0000-000000000000'
          AND l.stream_id < es.class_floor(4, statement_timestamp() - interval '14 days'),
       before.hash, e.type, e.project, e.occurred_at, e.command_id, e.actor_id, e.subject_id,
       e.client_id, e.grant_id, e.payload, e.metadata
  FROM (SELECT log_index, log_epoch, xid, position, stream_id, version, hash FROM es.ledger
         WHERE log_index > $1 ORDER BY log_index LIMIT 500) AS l
  LEFT JOIN es.events AS e ON e.stream_id = l.stream_id AND e.version = l.version
  LEFT JOIN es.events AS before
    ON before.stream_id = l.stream_id AND before.version = l.version - 1
 ORDER BY l.log_index;
