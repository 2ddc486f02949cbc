-- keep_snapshots.sql: the folded states of streams, each at a version and no stream twice; the last
-- writer wins, since each is right. They may be lost, so the transaction does not wait for the
-- disk. In the order of the streams, as in delete_stream_snapshots.sql: of two that meet neither
-- waits for ever.
INSERT INTO es.snapshots AS s (stream_id, version, hash, format, state, mac)
SELECT stream, version, hash, format, state, mac
  FROM unnest($1, $2, $3, $4, $5, $6) AS due (stream, version, hash, format, state, mac)
 ORDER BY stream
    ON CONFLICT (stream_id) DO UPDATE
       SET version = excluded.version, hash = excluded.hash, format = excluded.format,
           state = excluded.state, mac = excluded.mac
     WHERE s.mac <> excluded.mac;
