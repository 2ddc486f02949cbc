-- verify_ledger.sql: what was published behind a number, 2,000 at a time, and what the log has of
-- it: nothing, for good reason, once its partition may be dropped (class T 760 days after its
-- month, class S 14 after its week: es.drop_expired_partitions). Relies on the keys of both tables.
SELECT l.log_index, l.stream_id, l.version, l.position, l.hash, e.hash,
       e.log_epoch = l.log_epoch AND e.xid = l.xid AND e.position = l.position,
       l.stream_id < es.uuid7_floor(statement_timestamp() - interval '760 days')
       OR l.stream_id >= '40000000-0000-0000-0000-000000000000'
          AND l.stream_id < es.class_floor(4, statement_timestamp() - interval '14 days')
  FROM (SELECT log_index, log_epoch, xid, position, stream_id, version, hash FROM es.ledger
         WHERE log_index > $1 ORDER BY log_index LIMIT 2000) AS l
  LEFT JOIN es.events AS e ON e.stream_id = l.stream_id AND e.version = l.version
 ORDER BY l.log_index;
