-- drop_old_snapshots.sql: snapshots of streams whose partition is gone (class T: 760 days after its
-- month); a thousand at a time. Relies on the primary key.
WITH old AS (
  SELECT stream_id FROM es.snapshots
   WHERE stream_id < es.uuid7_floor(least(statement_timestamp(), $1) - interval '791 days')
   ORDER BY stream_id LIMIT 1000
), gone AS (
  DELETE FROM es.snapshots AS s USING old WHERE s.stream_id = old.stream_id RETURNING 1
)
SELECT count(*) FROM gone;
