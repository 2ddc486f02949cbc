-- The events of several streams after a version each, oldest first, at most 1000 a stream.
-- Relies on the primary key (stream_id, version): one partition and one index scan per stream.
SELECT event.stream_id, event.version, event.type, event.occurred_at, event.project,
       event.subject_id, event.client_id, event.grant_id, event.hash, event.payload
  FROM unnest($1, $2) AS wanted (stream_id, after_version)
 CROSS JOIN LATERAL (
         SELECT e.stream_id, e.version, e.type, e.occurred_at, e.project,
                e.subject_id, e.client_id, e.grant_id, e.hash, e.payload
           FROM es.events AS e
          WHERE e.stream_id = wanted.stream_id AND e.version > wanted.after_version
          ORDER BY e.version
          LIMIT 1000
       ) AS event;
