-- The folded state of a stream at a version; the last writer wins, since each is right. It may be
-- lost, so the transaction does not wait for the disk.
INSERT INTO es.snapshots AS s (stream_id, version, hash, format, state, mac)
VALUES ($1, $2, $3, $4, $5, $6)
    ON CONFLICT (stream_id) DO UPDATE
       SET version = excluded.version, hash = excluded.hash, format = excluded.format,
           state = excluded.state, mac = excluded.mac
     WHERE s.mac <> excluded.mac;
