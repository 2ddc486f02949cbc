-- What the issuer writes beside events. None of it decides anything.

-- Folded states, never required: deleting the table changes nothing but speed.
CREATE TABLE es.snapshots (
  stream_id uuid     PRIMARY KEY,
  version   integer  NOT NULL CHECK (version > 0),
  hash      bytea    NOT NULL CHECK (octet_length(hash) = 32),
  format    integer  NOT NULL,
  state     bytea    NOT NULL,
  mac       bytea    NOT NULL CHECK (octet_length(mac) = 32)
);

-- One key per subject for the personal members of its events, wrapped by the KEK. Without the
-- wrapped bytes those members cannot be read again, and hashes over them stay valid.
CREATE TABLE es.sealing_keys (
  key_id       uuid        PRIMARY KEY,
  project      smallint    NOT NULL CHECK (project > 0),
  kek_version  integer     NOT NULL,
  wrapped      bytea,
  commitment   bytea       NOT NULL CHECK (octet_length(commitment) = 32),
  created_at   timestamptz NOT NULL DEFAULT statement_timestamp(),
  destroyed_at timestamptz,
  CONSTRAINT sealing_keys_destroyed CHECK ((wrapped IS NULL) = (destroyed_at IS NOT NULL))
);

-- Destroys a key; true when it was there and is gone now, false when there was nothing to destroy.
CREATE FUNCTION es.destroy_key(p_key uuid) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, es, pg_temp AS $$
BEGIN
  UPDATE es.sealing_keys SET wrapped = NULL, destroyed_at = statement_timestamp()
   WHERE key_id = p_key AND destroyed_at IS NULL;
  RETURN FOUND;
END $$;

-- Where a command came from, truncated to /24 and /48; kept 90 days, deleted on erasure.
CREATE TABLE es.contexts (
  command_id uuid        PRIMARY KEY,
  project    smallint    NOT NULL CHECK (project > 0),
  subject_id uuid,
  at         timestamptz NOT NULL,
  ip_net     cidr,
  user_agent text        CHECK (octet_length(user_agent) <= 512)
);
-- Rows come in the order of time: retention reads a few blocks.
CREATE INDEX contexts_at ON es.contexts USING brin (at) WITH (autosummarize = on);
CREATE INDEX contexts_subject ON es.contexts (subject_id, at);

-- Mails due: no address, no secret. A sender leases a row, and deletes it when it is done.
CREATE TABLE es.mail_queue (
  login_link   uuid        NOT NULL,
  generation   integer     NOT NULL CHECK (generation > 0),
  project      smallint    NOT NULL CHECK (project > 0),
  queued_at    timestamptz NOT NULL DEFAULT statement_timestamp(),
  due_at       timestamptz NOT NULL DEFAULT statement_timestamp(),
  attempts     integer     NOT NULL DEFAULT 0,
  leased_until timestamptz,
  PRIMARY KEY (login_link, generation)
);
CREATE INDEX mail_queue_due ON es.mail_queue (due_at);

-- Exact counts over all nodes, for the limits on mail. UNLOGGED: a crash of the database resets
-- them, and that is allowed.
CREATE UNLOGGED TABLE limits.windows (
  key              bytea       NOT NULL CHECK (octet_length(key) = 32),
  window_seconds   integer     NOT NULL CHECK (window_seconds > 0),
  window_starts_at timestamptz NOT NULL,
  count            integer     NOT NULL CHECK (count > 0),
  PRIMARY KEY (key, window_seconds, window_starts_at)
);
CREATE INDEX windows_start ON limits.windows (window_starts_at);

-- Counts one use in every window, or in none; true when all are within their maximum. Counted
-- first and looked at then: the row locks make it exact over all nodes.
CREATE FUNCTION limits.take(
  p_key     bytea[],
  p_seconds int[],
  p_start   timestamptz[],
  p_maximum int[]
) RETURNS boolean
  LANGUAGE plpgsql SET search_path = pg_catalog, limits, pg_temp AS $$
BEGIN
  INSERT INTO limits.windows AS w (key, window_seconds, window_starts_at, count)
  SELECT k, seconds, starts, 1
    FROM unnest(p_key, p_seconds, p_start) AS u (k, seconds, starts)
   ORDER BY k, seconds, starts
      ON CONFLICT (key, window_seconds, window_starts_at) DO UPDATE SET count = w.count + 1;
  IF EXISTS (
    SELECT FROM unnest(p_key, p_seconds, p_start, p_maximum) AS u (k, seconds, starts, maximum)
      JOIN limits.windows AS w
        ON (w.key, w.window_seconds, w.window_starts_at) = (k, seconds, starts)
     WHERE w.count > maximum
  ) THEN
    RAISE EXCEPTION USING ERRCODE = 'ES004';
  END IF;
  RETURN true;
EXCEPTION WHEN SQLSTATE 'ES004' THEN
  RETURN false;  -- The counts above are undone.
END $$;
