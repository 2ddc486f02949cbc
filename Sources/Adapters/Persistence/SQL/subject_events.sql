-- subject_events.sql: the streams of a subject's next 1,000 events after a position: how far each
-- is in them, and whether the subject's events in that stream begin with them. A stream begins in
-- one page only. Relies on events_subject and the primary key.
SELECT page.stream_id, max(page.position),
       (SELECT e.position FROM es.events AS e
         WHERE e.stream_id = page.stream_id AND e.subject_id = $1
         ORDER BY e.version LIMIT 1) > $2
  FROM (SELECT e.stream_id, e.position FROM es.events AS e
         WHERE e.subject_id = $1 AND e.position > $2 ORDER BY e.position LIMIT 1000) AS page
 GROUP BY page.stream_id;
