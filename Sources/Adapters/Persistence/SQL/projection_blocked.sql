-- projection_blocked.sql: keys whose events are not applied.
SELECT b.key, b.partition, b.record_offset, b.log_index, b.stream_id, b.reason
  FROM revocation.blocked AS b WHERE b.projection = $1;
