-- Whatever waits for a lock and looks then needs a snapshot for each statement. At another
-- isolation than READ COMMITTED it sees the log as it was before it waited, and takes for good a
-- guard on a session that has ended meanwhile (decision 0246). The default may be another, by the
-- settings of a server, a database or a role. Our connections ask for this one when they start, and
-- these two functions refuse whoever comes with another: ES011.

-- es.append as of 0020, but for that. What 0003 and 0015 promise stays.
CREATE OR REPLACE FUNCTION es.append(
  p_cmd        int[],
  p_project    int2[],
  p_stream     uuid[],
  p_expect     int[],
  p_version    int[],
  p_type       int2[],
  p_occurred   timestamptz[],
  p_command_id uuid[],
  p_actor      uuid[],
  p_subject    uuid[],
  p_client     uuid[],
  p_grant      uuid[],
  p_hash       bytea[],
  p_payload    bytea[],
  p_metadata   bytea[],
  p_guardable  uuid[],
  p_g_cmd      int[],
  p_g_stream   uuid[],
  p_g_version  int[]
) RETURNS SETOF int
  LANGUAGE plpgsql VOLATILE SECURITY DEFINER
  SET search_path = pg_catalog, es, pg_temp
  SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
  bad     int[];
  now_bad int[];
  dup     int[];
  attempt int := 0;
  lowest  uuid;
  highest uuid;
  oldest  timestamptz;
BEGIN
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION 'append needs READ COMMITTED, and this is %',
      upper(current_setting('transaction_isolation')) USING ERRCODE = 'ES011';
  END IF;
  IF pg_current_xact_id_if_assigned() IS NOT NULL THEN
    RAISE EXCEPTION 'append must be the first write of its transaction' USING ERRCODE = 'ES002';
  END IF;

  -- 0. Locks first, in key order, exclusive wins. Two batches never wait for each other in a ring.
  PERFORM CASE WHEN x THEN pg_advisory_xact_lock(k) ELSE pg_advisory_xact_lock_shared(k) END
     FROM (SELECT k, bool_or(x) AS x
             FROM (SELECT uuid_hash_extended(s, 0) AS k, true AS x FROM unnest(p_guardable) AS s
                   UNION ALL
                   SELECT uuid_hash_extended(s, 0), false FROM unnest(p_g_stream) AS s) AS a
            GROUP BY k ORDER BY k OFFSET 0) AS q;

  -- Of the classes with many partitions: bounds known before a look-up starts leave most of them
  -- out, and what each partition costs is paid per call.
  SELECT ids[1], ids[cardinality(ids)] INTO lowest, highest
    FROM (SELECT array_agg(s ORDER BY s) AS ids
            FROM (SELECT unnest(p_stream) AS s UNION ALL SELECT unnest(p_g_stream)) AS named
           WHERE s < '80000000-0000-0000-0000-000000000000') AS sorted;

  LOOP
    attempt := attempt + 1;
    IF attempt > 20 THEN
      RAISE EXCEPTION 'append: no progress' USING ERRCODE = '40001';
    END IF;

    -- The clock of now, not of the statement: it may have waited for locks.
    oldest := clock_timestamp() - interval '5 seconds';

    -- 1. Commands whose expectation or guard is stale, or that come late: no head is at -1. A new
    --    statement takes a new snapshot: it sees all that was committed before the locks were
    --    granted. Equal guards are checked once. Of class T, whose ids are drawn, a stream that is
    --    opened is only looked up once the primary key has refused it.
    SELECT array_agg(DISTINCT c) INTO now_bad
      FROM (SELECT s, x, array_agg(c) AS cs
              FROM (SELECT c, s, CASE WHEN o < oldest THEN -1 ELSE x END AS x
                      FROM unnest(p_cmd, p_stream, p_expect, p_version, p_occurred)
                           AS i (c, s, x, v, o)
                     WHERE v = x + 1
                       AND (x > 0 OR attempt > 1 OR o < oldest
                            OR s >= '40000000-0000-0000-0000-000000000000')
                    UNION ALL
                    SELECT c, s, v
                      FROM unnest(p_g_cmd, p_g_stream, p_g_version) AS g (c, s, v)) AS seen
             GROUP BY s, x) AS head, unnest(cs) AS c
     WHERE x <> coalesce(
       CASE WHEN s < '80000000-0000-0000-0000-000000000000' THEN
         (SELECT e.version FROM es.events AS e
           WHERE e.stream_id = s AND e.stream_id >= lowest AND e.stream_id <= highest
           ORDER BY e.version DESC LIMIT 1)
       ELSE
         (SELECT e.version FROM es.events AS e
           WHERE e.stream_id = s AND e.stream_id >= '80000000-0000-0000-0000-000000000000'
           ORDER BY e.version DESC LIMIT 1)
       END, 0);
    bad := bad || now_bad;  -- Monotone: a command refused once stays refused in this call.

    -- A race was lost, or two commands of the batch want one key: the lowest ordinal wins.
    IF attempt > 1 THEN
      SELECT array_agg(DISTINCT c) INTO dup FROM (
        SELECT c, row_number() OVER (PARTITION BY s, v ORDER BY c) AS rank
          FROM unnest(p_cmd, p_stream, p_version) AS i (c, s, v)
         WHERE bad IS NULL OR c <> ALL (bad)) AS q WHERE rank > 1;
      bad := bad || dup;
    END IF;

    IF bad IS NOT NULL THEN
      EXIT WHEN NOT EXISTS (SELECT FROM unnest(p_cmd) AS c WHERE c <> ALL (bad));
    END IF;

    -- 2. Insert in key order; a lost race undoes only this attempt. Not ON CONFLICT: it asks the
    --    index before each row, and logs a second time that the row is to stay.
    BEGIN
      INSERT INTO es.events (stream_id, version, type, project, occurred_at, command_id, actor_id,
                             subject_id, client_id, grant_id, hash, payload, metadata)
      SELECT s, v, t, pr, o, ci, a, sj, cl, g, h, p, m
        FROM unnest(p_cmd, p_project, p_stream, p_version, p_type, p_occurred, p_command_id,
                    p_actor, p_subject, p_client, p_grant, p_hash, p_payload, p_metadata)
             AS u (c, pr, s, v, t, o, ci, a, sj, cl, g, h, p, m)
       WHERE bad IS NULL OR c <> ALL (bad)
       ORDER BY s, v;
      EXIT;
    EXCEPTION WHEN unique_violation THEN
      NULL;  -- The subtransaction is undone; look again with a new snapshot.
    END;
  END LOOP;

  IF bad IS NOT NULL THEN
    RETURN QUERY SELECT DISTINCT unnest(bad) ORDER BY 1;
  END IF;
END $$;

-- chancery.finish_rebuild as of 0032, but for that: what it waited for is the projector's last
-- transaction, whose rows it compares.
CREATE OR REPLACE FUNCTION chancery.finish_rebuild(
  p_generation integer, p_topic text, p_cluster text, p_partitions integer[], p_offsets bigint[],
  p_loses boolean
) RETURNS TABLE (added bigint, gone bigint) LANGUAGE plpgsql AS $$
DECLARE
  live revocation.progress;
BEGIN
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION 'a switch of models needs READ COMMITTED, and this is %',
      upper(current_setting('transaction_isolation')) USING ERRCODE = 'ES011';
  END IF;
  LOCK TABLE chancery.rebuilds IN EXCLUSIVE MODE;
  IF EXISTS (SELECT FROM chancery.rebuilds AS r
              WHERE r.generation = p_generation
                AND r.schema_version IS DISTINCT FROM
                    (SELECT max(m.version) FROM chancery.migrations AS m)) THEN
    RAISE EXCEPTION 'the schema has changed since generation % was begun', p_generation
      USING ERRCODE = 'ES008';
  END IF;
  LOCK TABLE revocation.progress IN ACCESS EXCLUSIVE MODE;
  SELECT * INTO live FROM revocation.progress AS p WHERE p.projection = 'revocation';
  SELECT s.added, s.gone INTO added, gone
    FROM chancery.switch_rebuild(p_generation, p_topic, p_cluster, p_partitions, p_offsets) AS s;
  IF gone > 0 AND NOT p_loses THEN
    RAISE EXCEPTION '% revocations of living tokens would be gone', gone USING ERRCODE = 'ES009';
  END IF;
  -- By now the name of the schema leads to the rebuilt one.
  EXECUTE 'UPDATE revocation.progress SET model = $1 WHERE log_id = $2'
    USING live.model, live.log_id;
  RETURN NEXT;
END $$;
