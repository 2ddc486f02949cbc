-- es.destroy_key destroyed whatever key it was given: whoever had an issuer's login, or one array
-- with other ids in it, made the data of every user unreadable, and no event told of it. It looks
-- for itself now, as es.forget_key (0029) does: decision 0226.

-- Whether the newest event of a user's stream is subject.erased (106), which nothing follows.
-- Relies on the primary key, backwards: one entry.
CREATE FUNCTION es.is_erased(p_subject uuid) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN EXISTS (
    SELECT FROM (SELECT e.type FROM es.events AS e WHERE e.stream_id = p_subject
                  ORDER BY e.version DESC LIMIT 1) AS newest
     WHERE newest.type = 106);
END $$;

-- Destroys a key; true when it was there and is gone now, false when there was nothing to destroy.
-- A user's own key goes once the log has the user's erasure; that of a login link or a hint (class
-- T) after a day by the database's clock, or when events of an erased user stand in its stream,
-- which are few. Every other key is refused with ES010, and with it the whole statement.
CREATE OR REPLACE FUNCTION es.destroy_key(p_key uuid) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, es, pg_temp AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM es.sealing_keys AS k
                  WHERE k.key_id = p_key AND k.destroyed_at IS NULL) THEN
    RETURN false;  -- Whoever repeats an erasure asks for what is done.
  END IF;
  IF p_key >= es.uuid7_floor(statement_timestamp() - interval '1 day')
     AND NOT es.is_erased(p_key) THEN
    IF p_key >= '80000000-0000-0000-0000-000000000000'
       AND p_key < '90000000-0000-0000-0000-000000000000' THEN
      RAISE EXCEPTION 'key % is of a user who is not erased', p_key USING ERRCODE = 'ES010';
    END IF;
    IF NOT EXISTS (SELECT FROM es.events AS e
                    WHERE e.stream_id = p_key AND e.subject_id IS NOT NULL
                      AND es.is_erased(e.subject_id)) THEN
      RAISE EXCEPTION 'key % is not a day old, and in its stream is nobody who is erased', p_key
        USING ERRCODE = 'ES010';
    END IF;
  END IF;
  UPDATE es.sealing_keys SET wrapped = NULL, destroyed_at = statement_timestamp()
   WHERE key_id = p_key AND destroyed_at IS NULL;
  RETURN FOUND;
END $$;
