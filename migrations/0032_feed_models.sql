-- A read model has a name, and a cursor of the feed is of one model (decision 0215). One that fills
-- itself in the place of a lost one counts again what comes late, and gives what a stopped key held
-- its own number: behind a cursor of the lost one nobody would be told of either. Cursors of today
-- name the log, and stay good.
ALTER TABLE revocation.progress ADD COLUMN model uuid;
UPDATE revocation.progress SET model = log_id;
ALTER TABLE revocation.progress ALTER COLUMN model SET DEFAULT gen_random_uuid(),
                                ALTER COLUMN model SET NOT NULL;

-- As of 0026, but the rebuilt model takes the name of the one in service, whose numbers it goes on
-- with; where there is none, or one of another log, it keeps its own.
CREATE OR REPLACE FUNCTION chancery.finish_rebuild(
  p_generation integer, p_topic text, p_cluster text, p_partitions integer[], p_offsets bigint[],
  p_loses boolean
) RETURNS TABLE (added bigint, gone bigint) LANGUAGE plpgsql AS $$
DECLARE
  live revocation.progress;
BEGIN
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
