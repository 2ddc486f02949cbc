-- The event log, its relay cursor and the published order. Decided state lives here and nowhere
-- else; es.append (0003) is the only writer of es.events.

-- The smallest stream id of a class at an instant: bounds of partitions, ranges over time.
-- Class digit and 44 bits of milliseconds; for digit 0 that is the first UUIDv7 of the instant.
CREATE FUNCTION es.class_floor(digit integer, ts timestamptz) RETURNS uuid
  LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN (to_hex(digit)
          || lpad(to_hex((extract(epoch FROM ts) * 1000)::bigint), 11, '0')
          || repeat('0', 20))::uuid;

CREATE FUNCTION es.uuid7_floor(ts timestamptz) RETURNS uuid
  LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN es.class_floor(0, ts);

CREATE SEQUENCE es.events_position_seq CACHE 1;

CREATE TABLE es.events (
  position    bigint      NOT NULL DEFAULT nextval('es.events_position_seq'),
  xid         xid8        NOT NULL DEFAULT pg_current_xact_id(),  -- the relay's fence and order
  occurred_at timestamptz NOT NULL,
  recorded_at timestamptz NOT NULL DEFAULT statement_timestamp(),
  version     integer     NOT NULL,
  type        smallint    NOT NULL,
  log_epoch   smallint    NOT NULL DEFAULT 1,                     -- raised when xids restart
  project     smallint    NOT NULL,
  stream_id   uuid        NOT NULL,                               -- names the partition
  command_id  uuid        NOT NULL,
  actor_id    uuid,
  subject_id  uuid,
  client_id   uuid,
  grant_id    uuid,
  hash        bytea       NOT NULL,
  payload     bytea       NOT NULL,                               -- the bytes that were hashed
  metadata    bytea       NOT NULL,
  CONSTRAINT events_pk PRIMARY KEY (stream_id, version),
  CONSTRAINT events_version CHECK (version > 0),
  CONSTRAINT events_project CHECK (project > 0),
  CONSTRAINT events_hash CHECK (octet_length(hash) = 32),
  -- Types 1301-1399 are project-config: a whole configuration document.
  CONSTRAINT events_payload CHECK (
    octet_length(payload) <= 16384
    OR type BETWEEN 1301 AND 1399 AND octet_length(payload) <= 262144
  ),
  CONSTRAINT events_metadata CHECK (octet_length(metadata) <= 2048)
) PARTITION BY RANGE (stream_id);

CREATE INDEX events_log ON es.events (log_epoch, xid, position);
CREATE INDEX events_subject ON es.events (subject_id, position);
CREATE INDEX events_grant ON es.events (grant_id, position);
CREATE INDEX events_time ON es.events USING brin (occurred_at, position)
  WITH (pages_per_range = 32, autosummarize = on);

CREATE FUNCTION es.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'es.events is append-only: % refused', TG_OP USING ERRCODE = 'ES003';
END $$;

CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON es.events
  FOR EACH ROW EXECUTE FUNCTION es.refuse_change();
ALTER TABLE es.events ENABLE ALWAYS TRIGGER append_only;
CREATE TRIGGER never_truncated BEFORE TRUNCATE ON es.events
  FOR EACH STATEMENT EXECUTE FUNCTION es.refuse_change();
ALTER TABLE es.events ENABLE ALWAYS TRIGGER never_truncated;

-- Adds one partition; false when it is there. An absent upper bound means "without end".
-- Attached rather than created in place: appends go on while it is built.
CREATE FUNCTION es.add_partition(p_name text, p_from uuid, p_to uuid) RETURNS boolean
  LANGUAGE plpgsql AS $$
BEGIN
  IF to_regclass(format('es.%I', p_name)) IS NOT NULL THEN
    RETURN false;
  END IF;
  EXECUTE format(
    'CREATE TABLE es.%I (LIKE es.events INCLUDING DEFAULTS INCLUDING CONSTRAINTS)
       WITH (autovacuum_vacuum_insert_scale_factor = 0.05,
             autovacuum_analyze_scale_factor = 0.02)',
    p_name
  );
  -- Statement triggers are not inherited.
  EXECUTE format(
    'CREATE TRIGGER never_truncated BEFORE TRUNCATE ON es.%I
       FOR EACH STATEMENT EXECUTE FUNCTION es.refuse_change()',
    p_name
  );
  EXECUTE format('ALTER TABLE es.%I ENABLE ALWAYS TRIGGER never_truncated', p_name);
  IF p_from IS NULL THEN
    EXECUTE format('ALTER TABLE es.events ATTACH PARTITION es.%I DEFAULT', p_name);
  ELSIF p_to IS NULL THEN
    EXECUTE format(
      'ALTER TABLE es.events ATTACH PARTITION es.%I FOR VALUES FROM (%L) TO (MAXVALUE)',
      p_name, p_from
    );
  ELSE
    EXECUTE format(
      'ALTER TABLE es.events ATTACH PARTITION es.%I FOR VALUES FROM (%L) TO (%L)',
      p_name, p_from, p_to
    );
  END IF;
  EXECUTE format('ALTER TABLE es.%I ENABLE ALWAYS TRIGGER append_only', p_name);
  RETURN true;
END $$;

-- Adds the partitions from one period before p_now to three months (class T) or five weeks (class
-- S) after it; names the new ones. The time of class S is the instant after which the artefact is
-- refused anyway, at most an hour away. Every partition costs each append call some microseconds.
CREATE FUNCTION es.ensure_partitions(p_now timestamptz) RETURNS SETOF text
  LANGUAGE plpgsql AS $$
DECLARE
  today timestamp := p_now AT TIME ZONE 'UTC';
  wanted record;
BEGIN
  FOR wanted IN
    SELECT 'events_permanent' AS name,
           '80000000-0000-0000-0000-000000000000'::uuid AS lower,
           '90000000-0000-0000-0000-000000000000'::uuid AS upper
    UNION ALL
    SELECT 'events_keyed', 'c0000000-0000-0000-0000-000000000000', NULL
    UNION ALL
    SELECT 'events_default', NULL, NULL
    UNION ALL
    SELECT 'events_t' || to_char(start, 'YYYYMM'),
           es.class_floor(0, start AT TIME ZONE 'UTC'),
           es.class_floor(0, (start + interval '1 month') AT TIME ZONE 'UTC')
      FROM generate_series(date_trunc('month', today) - interval '1 month',
                           date_trunc('month', today) + interval '3 months',
                           interval '1 month') AS start
    UNION ALL
    SELECT 'events_s' || to_char(start, 'IYYY"w"IW'),
           es.class_floor(4, start AT TIME ZONE 'UTC'),
           es.class_floor(4, (start + interval '7 days') AT TIME ZONE 'UTC')
      FROM generate_series(date_trunc('week', today) - interval '7 days',
                           date_trunc('week', today) + interval '35 days',
                           interval '7 days') AS start
  LOOP
    IF es.add_partition(wanted.name, wanted.lower, wanted.upper) THEN
      RETURN NEXT wanted.name;
    END IF;
  END LOOP;
END $$;

CREATE TABLE es.log (
  only_row      boolean     PRIMARY KEY DEFAULT true CHECK (only_row),
  log_id        uuid        NOT NULL DEFAULT gen_random_uuid(),
  current_epoch smallint    NOT NULL DEFAULT 1,
  created_at    timestamptz NOT NULL DEFAULT statement_timestamp()
);
INSERT INTO es.log DEFAULT VALUES;

-- What the relay has published; (log_epoch, xid, position) is the last published row.
CREATE TABLE es.relay_cursor (
  only_row    boolean     PRIMARY KEY DEFAULT true CHECK (only_row),
  log_epoch   smallint    NOT NULL DEFAULT 1,
  xid         xid8        NOT NULL DEFAULT '0',
  position    bigint      NOT NULL DEFAULT 0,
  next_index  bigint      NOT NULL DEFAULT 0,
  relay_epoch bigint      NOT NULL DEFAULT 0,
  cluster_id  text,
  holder_pid  integer,
  heartbeat   timestamptz
);
INSERT INTO es.relay_cursor DEFAULT VALUES;

-- The published order, dense from 0, kept for ever: receipts and the transparency log rest on it
-- when the events themselves are gone.
CREATE TABLE es.ledger (
  log_index bigint   PRIMARY KEY CHECK (log_index >= 0),
  log_epoch smallint NOT NULL,
  xid       xid8     NOT NULL,
  position  bigint   NOT NULL,
  stream_id uuid     NOT NULL,
  version   integer  NOT NULL,
  hash      bytea    NOT NULL CHECK (octet_length(hash) = 32)
);

-- Drops what is past its retention and published; names what it dropped.
-- Class T: the longest grant (400 days) and 30 days; class S: 14 days after its week.
CREATE FUNCTION es.drop_expired_partitions(p_now timestamptz) RETURNS SETOF text
  LANGUAGE plpgsql AS $$
DECLARE
  today timestamp := p_now AT TIME ZONE 'UTC';
  expired record;
  unpublished boolean;
BEGIN
  FOR expired IN
    SELECT name FROM (
      SELECT c.relname AS name,
             CASE
               WHEN c.relname ~ '^events_t[0-9]{6}$'
                 THEN to_date(right(c.relname, 6), 'YYYYMM') + interval '1 month 430 days'
               WHEN c.relname ~ '^events_s[0-9]{4}w[0-9]{2}$'
                 THEN to_date(right(c.relname, 7), 'IYYY"w"IW') + interval '21 days'
             END AS kept_until
        FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid
       WHERE i.inhparent = 'es.events'::regclass) AS partitions
     WHERE kept_until < today
     ORDER BY name
  LOOP
    EXECUTE format(
      'SELECT EXISTS (SELECT FROM es.%I AS e, es.relay_cursor AS c
         WHERE (e.log_epoch, e.xid, e.position) > (c.log_epoch, c.xid, c.position))',
      expired.name
    ) INTO unpublished;
    IF NOT unpublished THEN
      EXECUTE format('DROP TABLE es.%I', expired.name);
      RETURN NEXT expired.name;
    END IF;
  END LOOP;
END $$;

-- The maintenance a running issuer may ask for. It takes no time from its caller: a stolen login
-- could drop history with a clock of its own.
CREATE FUNCTION es.maintain_partitions() RETURNS SETOF text
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, es, pg_temp AS $$
BEGIN
  RETURN QUERY SELECT es.ensure_partitions(statement_timestamp());
  RETURN QUERY SELECT es.drop_expired_partitions(statement_timestamp());
END $$;

SELECT es.ensure_partitions(statement_timestamp());
