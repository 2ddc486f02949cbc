-- The key of a login link, or of a hint, is destroyed after a day, and what was left of its row
-- stayed for ever: one for each link and each request with a hint. Its events go with their
-- partition (0028: class T, 760 days after its month); so does the row now. A user's key is of
-- class P, and its row stays as the record that it was destroyed.

-- Deletes the row of a destroyed key of class T whose events are gone; true when it was there. It
-- takes no time from its caller: a stolen login could delete records with a clock of its own.
CREATE FUNCTION es.forget_key(p_key uuid) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, es, pg_temp AS $$
BEGIN
  DELETE FROM es.sealing_keys
   WHERE key_id = p_key AND destroyed_at IS NOT NULL
     AND key_id < es.uuid7_floor(statement_timestamp() - interval '791 days');
  RETURN FOUND;
END $$;

GRANT EXECUTE ON FUNCTION es.forget_key TO token_issuer;
