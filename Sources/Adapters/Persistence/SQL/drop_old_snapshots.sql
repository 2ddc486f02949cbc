-- Snapshots of streams whose partition is gone (class T: 430 days after its month).
-- Relies on the primary key.
DELETE FROM es.snapshots WHERE stream_id < es.uuid7_floor(now() - interval '461 days');
