-- The streams that were opened for a subject, by events of the types asked for, newest first.
-- Relies on events_opened (subject_id, position), backwards; the constants are its predicate.
SELECT e.stream_id, e.position
  FROM es.events AS e
 WHERE e.subject_id = $1
   AND e.type = ANY ($2)
   AND e.type IN (201, 301, 501, 701, 801, 1001)
   AND e.position < $3
 ORDER BY e.position DESC
 LIMIT $4;
