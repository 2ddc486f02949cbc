-- load_streams.sql: the events of several streams after a version each, oldest first, at most 1000
-- a stream. Where a snapshot format is wanted (not 0): from the event on that the stream's snapshot
-- names, and with the snapshot; a row without event when there is no such event.
-- Relies on the primary key (stream_id, version): one partition and one index scan per stream. The
-- LIMIT of the snapshot keeps its look-up inside the loop.
SELECT wanted.stream_id, event.version, event.type, event.occurred_at, event.project,
       event.subject_id, event.client_id, event.grant_id, event.hash, event.payload,
       CASE WHEN coalesce(event.version, snapshot.version) = snapshot.version
            THEN snapshot.hash END,
       CASE WHEN coalesce(event.version, snapshot.version) = snapshot.version
            THEN snapshot.state END,
       CASE WHEN coalesce(event.version, snapshot.version) = snapshot.version
            THEN snapshot.mac END
  FROM unnest($1, $2, $3) AS wanted (stream_id, after_version, format)
  LEFT JOIN LATERAL (
         SELECT s.version, s.hash, s.state, s.mac
           FROM es.snapshots AS s
          WHERE wanted.format > 0 AND s.stream_id = wanted.stream_id
            AND s.format = wanted.format AND s.version > wanted.after_version
          LIMIT 1
       ) AS snapshot ON true
  LEFT JOIN LATERAL (
         SELECT e.stream_id, e.version, e.type, e.occurred_at, e.project,
                e.subject_id, e.client_id, e.grant_id, e.hash, e.payload
           FROM es.events AS e
          WHERE e.stream_id = wanted.stream_id
            AND e.version > coalesce(snapshot.version - 1, wanted.after_version)
          ORDER BY e.version
          LIMIT 1000
       ) AS event ON true
 WHERE event.version IS NOT NULL OR snapshot.version IS NOT NULL;
