-- What the projector could not apply, what came late, and which model of several is the live one.

-- Keys of chancery.events whose events are not applied, until they can be read. From log_index on
-- the read model is not complete, and says so by its watermark.
CREATE TABLE revocation.blocked (
  projection    text        NOT NULL,
  key           bytea       NOT NULL,
  partition     integer     NOT NULL,
  record_offset bigint      NOT NULL,
  log_index     bigint      NOT NULL,
  stream_id     uuid,
  reason        text        NOT NULL,
  blocked_at    timestamptz NOT NULL DEFAULT statement_timestamp(),
  PRIMARY KEY (projection, key)
);
GRANT SELECT, INSERT, UPDATE, DELETE ON revocation.blocked TO projector;
-- For whoever looks after the installation.
GRANT USAGE ON SCHEMA revocation TO log_reader;
GRANT SELECT ON revocation.blocked, revocation.progress TO log_reader;

-- A row that came after readers of the feed had passed its number has another one, by which they
-- find it.
ALTER TABLE revocation.revocations ADD COLUMN late_number bigint;
CREATE INDEX revocations_late ON revocation.revocations (project, late_number)
 WHERE late_number IS NOT NULL;
ALTER TABLE revocation.progress
  ADD COLUMN late_number bigint  NOT NULL DEFAULT 0,  -- the last one given
  ADD COLUMN generation  integer NOT NULL DEFAULT 1;  -- raised by each rebuild

-- Refuses a writer that does not know the live model: a rebuild has put another in its place.
-- Outside schema revocation, which is replaced as a whole.
CREATE FUNCTION chancery.hold_projection(p_projection text, p_generation integer) RETURNS void
  LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM revocation.progress
              WHERE projection = p_projection AND generation <> p_generation) THEN
    RAISE EXCEPTION 'another model of % has been put in place', p_projection
      USING ERRCODE = 'ES005';
  END IF;
END $$;
REVOKE ALL ON FUNCTION chancery.hold_projection FROM PUBLIC;
GRANT EXECUTE ON FUNCTION chancery.hold_projection TO projector;

-- The number of an event in the published order, NULL while it has none. The ledger is dense and
-- in the order of (log_epoch, xid, position), and has no index but its own: so by halves.
CREATE FUNCTION es.log_index_of(p_epoch smallint, p_xid xid8, p_position bigint) RETURNS bigint
  LANGUAGE plpgsql STABLE STRICT AS $$
DECLARE
  low  bigint := 0;
  high bigint;
  half bigint;
  here record;
BEGIN
  SELECT max(l.log_index) INTO high FROM es.ledger AS l;
  WHILE low < high LOOP
    half := (low + high) / 2;
    SELECT l.log_epoch, l.xid, l.position INTO here FROM es.ledger AS l WHERE l.log_index = half;
    IF (here.log_epoch, here.xid, here.position) < (p_epoch, p_xid, p_position) THEN
      low := half + 1;
    ELSE
      high := half;
    END IF;
  END LOOP;
  RETURN (SELECT l.log_index FROM es.ledger AS l
           WHERE l.log_index = low
             AND (l.log_epoch, l.xid, l.position) = (p_epoch, p_xid, p_position));
END $$;
REVOKE ALL ON FUNCTION es.log_index_of FROM PUBLIC;
GRANT EXECUTE ON FUNCTION es.log_index_of TO log_reader;
