-- The kept states of a subject and its streams. Relies on events_subject and the primary key.
DELETE FROM es.snapshots AS s
 WHERE s.stream_id IN (
         SELECT e.stream_id FROM es.events AS e WHERE e.subject_id = $1 UNION SELECT $1
       );
