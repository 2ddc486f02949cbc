-- Another key encryption key takes over row by row (decision 0206). Only what is as it was read: a
-- key that was destroyed meanwhile stays destroyed.
CREATE FUNCTION es.rewrap_key(p_key uuid, p_before bytea, p_after bytea, p_version integer)
  RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, es, pg_temp AS $$
BEGIN
  UPDATE es.sealing_keys SET wrapped = p_after, kek_version = p_version
   WHERE key_id = p_key AND wrapped = p_before;
  RETURN FOUND;
END $$;

GRANT EXECUTE ON FUNCTION es.rewrap_key TO token_issuer;
