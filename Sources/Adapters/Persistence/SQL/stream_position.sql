-- stream_position.sql: where a stream begins that was opened for a subject: the place behind which
-- a list goes on. Relies on the primary key (stream_id, version): one partition, one index scan.
SELECT position
  FROM es.events
 WHERE stream_id = $1
   AND version = 1
   AND subject_id = $2;
