-- Nobody could see whether an erasure had come to its end: issuers and chancery doctor ask now for
-- erased users whose own key is still there (decision 0227).

-- Who was erased, by when that was recorded. Users alone are, and these stand in this partition.
CREATE INDEX events_erased ON es.events_permanent (recorded_at, stream_id) WHERE type = 106;

-- Users whose erasure was recorded since an instant, five minutes ago or more, and whose own key is
-- not destroyed; the first thousand. Whoever asks sees ids, and nothing of a key. Relies on
-- events_erased and sealing_keys_alive: the bounds leave that partition alone.
CREATE FUNCTION chancery.unfinished_erasures(p_since timestamptz) RETURNS SETOF uuid
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT e.stream_id
    FROM es.events AS e
    JOIN es.sealing_keys AS k ON k.key_id = e.stream_id AND k.destroyed_at IS NULL
   WHERE e.type = 106
     AND e.stream_id >= '80000000-0000-0000-0000-000000000000'
     AND e.stream_id < '90000000-0000-0000-0000-000000000000'
     AND e.recorded_at >= p_since
     AND e.recorded_at < statement_timestamp() - interval '5 minutes'
   ORDER BY e.recorded_at
   LIMIT 1000
$$;

GRANT EXECUTE ON FUNCTION chancery.unfinished_erasures TO log_reader, token_issuer, migrator;
