-- The streams whose events carry a subject, newest event first, of the types asked for.
-- Relies on events_subject (subject_id, position), backwards; looks at 10 000 events at most.
SELECT recent.stream_id
  FROM (SELECT e.stream_id, e.position FROM es.events AS e
         WHERE e.subject_id = $1 AND e.type = ANY ($2)
         ORDER BY e.position DESC
         LIMIT 10000) AS recent
 GROUP BY recent.stream_id
 ORDER BY max(recent.position) DESC
 LIMIT $3;
