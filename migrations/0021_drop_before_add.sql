-- es.maintain_partitions as of 0002, but drops before it adds. A partition that is added locks the
-- default one, a partition that is dropped locks es.events, both against everybody; every other
-- statement locks es.events first and the default partition last. Adding first made a ring of that,
-- each time that both were due.
CREATE OR REPLACE FUNCTION es.maintain_partitions() RETURNS SETOF text
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, es, pg_temp AS $$
BEGIN
  RETURN QUERY SELECT es.drop_expired_partitions(statement_timestamp());
  RETURN QUERY SELECT es.ensure_partitions(statement_timestamp());
END $$;
