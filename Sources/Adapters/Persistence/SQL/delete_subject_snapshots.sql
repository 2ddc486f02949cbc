-- The kept states of a subject and its streams, locked in the order of the streams, as they are
-- written. Relies on events_subject and the primary key.
DELETE FROM es.snapshots
 WHERE stream_id = ANY (ARRAY(
         SELECT s.stream_id FROM es.snapshots AS s
          WHERE s.stream_id IN (
                  SELECT e.stream_id FROM es.events AS e WHERE e.subject_id = $1 UNION SELECT $1
                )
          ORDER BY s.stream_id FOR UPDATE OF s));
