-- relay_read_old_epoch.sql: as relay_read.sql, without the fence: the transaction ids are of
-- another history, and nobody writes with this epoch any more.
SELECT xid, position, project, stream_id, version, type, occurred_at, command_id, actor_id,
       subject_id, client_id, grant_id, hash, payload, metadata
  FROM es.events
 WHERE log_epoch = $1 AND (xid, position) > ($2, $3)
 ORDER BY xid, position LIMIT 1000;
