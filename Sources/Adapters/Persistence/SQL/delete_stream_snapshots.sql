-- delete_stream_snapshots.sql: the kept states of streams, locked in the order of the streams, as
-- they are written. Relies on the primary key.
DELETE FROM es.snapshots
 WHERE stream_id = ANY (ARRAY(
         SELECT s.stream_id FROM es.snapshots AS s
          WHERE s.stream_id = ANY ($1) ORDER BY s.stream_id FOR UPDATE OF s));
