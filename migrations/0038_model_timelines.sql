-- A cursor of the feed is of one timeline of PostgreSQL, too (decision 0249). A standby that takes
-- over may lack the projector's last transactions: what those had let go on, or counted as late, it
-- gives the same numbers in time, behind readers who have passed these. So there the projector
-- draws the model another name.

-- Which timeline this server writes, from 1 on: the next one begins when a standby is promoted, or
-- a backup restored. Asked of the log itself: what pg_control_checkpoint() says is older.
CREATE FUNCTION chancery.timeline() RETURNS integer LANGUAGE sql AS $$
  SELECT ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::integer
$$;
GRANT EXECUTE ON FUNCTION chancery.timeline TO projector;

ALTER TABLE revocation.progress
  ADD COLUMN timeline integer NOT NULL DEFAULT chancery.timeline();

-- As of 0023, but it waits, too, for a client that left again. A row is moved then to its new
-- number; a model that had it at the old one gave it to readers of the feed once more, as it was
-- before, and told nobody when it moved again.
-- Puts a rebuilt model in service; its reader goes on at these offsets. What it has and the one
-- before had not, or had otherwise, is queued for Kafka, and gets a late number where readers of
-- the feed are past its own. Answers how many those are, and how many rows only the old one had.
CREATE OR REPLACE FUNCTION chancery.switch_rebuild(
  p_generation integer, p_topic text, p_cluster text, p_partitions integer[], p_offsets bigint[]
) RETURNS TABLE (added bigint, gone bigint) LANGUAGE plpgsql AS $$
DECLARE
  fresh text := 'revocation_g' || p_generation;
  live  revocation.progress;
  reached bigint;
BEGIN
  LOCK TABLE chancery.rebuilds IN EXCLUSIVE MODE;
  IF NOT EXISTS (SELECT FROM chancery.rebuilds
                  WHERE generation = p_generation AND finished_at IS NULL) THEN
    RAISE EXCEPTION 'generation % is not being rebuilt', p_generation;
  END IF;
  -- The projector in service waits from here on, and then finds that it is superseded.
  LOCK TABLE revocation.progress, revocation.revocations, revocation.outbox
    IN ACCESS EXCLUSIVE MODE;
  SELECT * INTO live FROM revocation.progress AS p WHERE p.projection = 'revocation';

  -- Behind the one in service, what that one has stopped, or has let go on since, would be applied
  -- later under its own number, which readers of the feed have passed, and what it has of a client
  -- that left again would be told as it was before: come nearer, and ask again.
  EXECUTE format('SELECT p.frontier FROM %1$I.progress AS p', fresh) INTO reached;
  IF reached < coalesce(live.frontier, -1) AND EXISTS (SELECT FROM revocation.blocked)
     OR EXISTS (SELECT FROM revocation.revocations AS l
                 WHERE l.late_number IS NOT NULL AND l.log_index > reached)
     OR EXISTS (SELECT FROM revocation.revocations AS l
                 WHERE l.first_log_index IS NOT NULL AND l.log_index > reached) THEN
    RAISE EXCEPTION 'the model in service is ahead' USING ERRCODE = 'ES007';
  END IF;

  EXECUTE format($sql$
    DELETE FROM %1$I.revocations AS n
     WHERE n.expires_at < statement_timestamp() - interval '1 minute'
  $sql$, fresh);
  EXECUTE format($sql$
    UPDATE %1$I.revocations AS n SET late_number = l.late_number
      FROM revocation.revocations AS l WHERE l.key = n.key AND l.late_number IS NOT NULL
  $sql$, fresh);
  EXECUTE format('DELETE FROM %1$I.outbox', fresh);
  EXECUTE format($sql$
    WITH news AS (
      SELECT n.key, n.log_index,
             row_number() OVER (ORDER BY n.log_index, n.key) AS number
        FROM %1$I.revocations AS n LEFT JOIN revocation.revocations AS l ON l.key = n.key
       WHERE l.key IS NULL
          OR (l.sid, l.client, l.jti, l.subject_id, l.revoked_at, l.issued_before_at, l.expires_at,
              l.reason, l.log_id, l.log_index)
             IS DISTINCT FROM
             (n.sid, n.client, n.jti, n.subject_id, n.revoked_at, n.issued_before_at, n.expires_at,
              n.reason, n.log_id, n.log_index)
    ), queued AS (
      INSERT INTO %1$I.outbox (log_index, key) SELECT log_index, key FROM news
    )
    UPDATE %1$I.revocations AS n SET late_number = $1 + w.number
      FROM news AS w WHERE n.key = w.key AND n.log_index <= $2
  $sql$, fresh) USING coalesce(live.late_number, 0), coalesce(live.frontier, -1);
  EXECUTE format('SELECT count(*) FROM %1$I.outbox', fresh) INTO added;
  EXECUTE format($sql$
    INSERT INTO %1$I.outbox (log_index, key)
    SELECT o.log_index, o.key FROM revocation.outbox AS o
     WHERE EXISTS (SELECT FROM %1$I.revocations AS n WHERE n.key = o.key)
        ON CONFLICT DO NOTHING
  $sql$, fresh);
  EXECUTE format($sql$
    SELECT count(*) FROM revocation.revocations AS l
     WHERE l.expires_at > statement_timestamp()
       AND l.log_index <= (SELECT p.frontier FROM %1$I.progress AS p)
       AND NOT EXISTS (SELECT FROM %1$I.revocations AS n WHERE n.key = l.key)
  $sql$, fresh) INTO gone;

  EXECUTE format($sql$
    UPDATE %1$I.progress AS p
       SET late_number = $1 + $2,
           complete_through = CASE WHEN $3 <= p.frontier THEN $4 END,
           complete_index = CASE WHEN $3 <= p.frontier THEN $3 END
  $sql$, fresh)
    USING coalesce(live.late_number, 0), added, live.complete_index, live.complete_through;
  EXECUTE format($sql$
    INSERT INTO %1$I.offsets (projection, topic, partition, cluster_id, next_offset)
    SELECT 'revocation', $1, u.partition, $2, u.next_offset
      FROM unnest($3, $4) AS u (partition, next_offset)
  $sql$, fresh) USING p_topic, p_cluster, p_partitions, p_offsets;
  EXECUTE format($sql$
    INSERT INTO %1$I.applied (projection, log_id, partition, last_log_index)
    SELECT 'revocation', p.log_id, u.partition, p.frontier
      FROM %1$I.progress AS p, unnest($1) AS u (partition)
  $sql$, fresh) USING p_partitions;

  UPDATE chancery.rebuilds SET retired_at = statement_timestamp()
   WHERE finished_at IS NOT NULL AND retired_at IS NULL;
  INSERT INTO chancery.rebuilds (generation, finished_at, retired_at)
  VALUES (coalesce(live.generation, 1), statement_timestamp(), statement_timestamp())
      ON CONFLICT DO NOTHING;
  UPDATE chancery.rebuilds SET finished_at = statement_timestamp()
   WHERE generation = p_generation;
  EXECUTE format('ALTER SCHEMA revocation RENAME TO %I',
                 'revocation_g' || coalesce(live.generation, 1));
  EXECUTE format('ALTER SCHEMA %I RENAME TO revocation', fresh);
  GRANT USAGE ON SCHEMA revocation TO projector, log_reader;
  GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA revocation TO projector;
  GRANT SELECT ON revocation.blocked, revocation.progress TO log_reader;
  RETURN NEXT;
END $$;

-- As of 0036, but the timeline goes with the name: where that is another one by now, the projector
-- draws the next name with its first batch.
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
  EXECUTE 'UPDATE revocation.progress SET model = $1, timeline = $2 WHERE log_id = $3'
    USING live.model, live.timeline, live.log_id;
  RETURN NEXT;
END $$;
