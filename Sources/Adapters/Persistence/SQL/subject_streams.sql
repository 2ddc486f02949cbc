-- subject_streams.sql: the streams that were opened for a subject, by events of the types asked
-- for, newest first; each with the type that opened it and the type of its newest event.
-- Relies on events_opened (subject_id, position), backwards; the constants are its predicate; and
-- on the primary key, backwards: one index entry per stream.
SELECT e.stream_id, e.position, e.type,
       (SELECT newest.type FROM es.events AS newest WHERE newest.stream_id = e.stream_id
         ORDER BY newest.version DESC LIMIT 1)
  FROM es.events AS e
 WHERE e.subject_id = $1
   AND e.type = ANY ($2)
   AND e.type IN (201, 301, 501, 701, 801, 1001)
   AND e.position < $3
 ORDER BY e.position DESC
 LIMIT $4;
