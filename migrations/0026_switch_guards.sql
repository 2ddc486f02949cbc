-- A rebuild takes the place of the model in service only if it has all that one has: the columns
-- that a migration has made since it was begun, and, unless somebody says otherwise, every
-- revocation whose tokens live.

ALTER FUNCTION chancery.finish_rebuild(integer, text, text, integer[], bigint[])
  RENAME TO switch_rebuild;

-- Raises ES008 when the schema has changed, ES009 when revocations of living tokens would be gone.
CREATE FUNCTION chancery.finish_rebuild(
  p_generation integer, p_topic text, p_cluster text, p_partitions integer[], p_offsets bigint[],
  p_loses boolean
) RETURNS TABLE (added bigint, gone bigint) LANGUAGE plpgsql AS $$
BEGIN
  LOCK TABLE chancery.rebuilds IN EXCLUSIVE MODE;
  IF EXISTS (SELECT FROM chancery.rebuilds AS r
              WHERE r.generation = p_generation
                AND r.schema_version IS DISTINCT FROM
                    (SELECT max(m.version) FROM chancery.migrations AS m)) THEN
    RAISE EXCEPTION 'the schema has changed since generation % was begun', p_generation
      USING ERRCODE = 'ES008';
  END IF;
  SELECT s.added, s.gone INTO added, gone
    FROM chancery.switch_rebuild(p_generation, p_topic, p_cluster, p_partitions, p_offsets) AS s;
  IF gone > 0 AND NOT p_loses THEN
    RAISE EXCEPTION '% revocations of living tokens would be gone', gone USING ERRCODE = 'ES009';
  END IF;
  RETURN NEXT;
END $$;
