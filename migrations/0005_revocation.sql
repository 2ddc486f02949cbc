-- Read models of revocation-projector. Everything here can be rebuilt from the log; nothing is
-- decided from it.

-- What is revoked and may still be accepted somewhere. The key is the record's key on Kafka: a
-- session id, 'sid/c:<client>' or 'sid/t:<jti>'.
CREATE TABLE revocation.revocations (
  key              text        PRIMARY KEY,
  project          smallint    NOT NULL,
  sid              uuid        NOT NULL,
  client           text,
  jti              text,
  subject_id       uuid,
  revoked_at       timestamptz NOT NULL,
  issued_before_at timestamptz,
  expires_at       timestamptz NOT NULL,
  reason           text        NOT NULL,
  log_id           uuid        NOT NULL,
  log_index        bigint      NOT NULL
);
CREATE INDEX revocations_feed ON revocation.revocations (project, log_index);
CREATE INDEX revocations_expiry ON revocation.revocations (expires_at);

-- Keys whose row is not yet on Kafka, in the order of the log.
CREATE TABLE revocation.outbox (
  log_index bigint NOT NULL,
  key       text   NOT NULL,
  PRIMARY KEY (log_index, key)
);

-- One row per browser session and grant, for operators; version is the last event applied.
CREATE TABLE revocation.sessions (
  sid        uuid        PRIMARY KEY,
  kind       text        NOT NULL CHECK (kind IN ('browser_session', 'offline_grant')),
  version    integer     NOT NULL,
  project    smallint    NOT NULL,
  subject_id uuid,
  client     text,
  status     text        NOT NULL CHECK (status IN ('open', 'ended')),
  opened_at  timestamptz NOT NULL,
  seen_at    timestamptz NOT NULL,
  expires_at timestamptz,
  ended_at   timestamptz,
  reason     text,
  parent     text
);
CREATE INDEX sessions_subject ON revocation.sessions (subject_id, opened_at);
CREATE INDEX sessions_client ON revocation.sessions (project, client, opened_at);

-- Where a projection is on Kafka: moved in the transaction that applies the records.
CREATE TABLE revocation.offsets (
  projection  text    NOT NULL,
  topic       text    NOT NULL,
  partition   integer NOT NULL,
  cluster_id  text    NOT NULL,
  next_offset bigint  NOT NULL,
  PRIMARY KEY (projection, topic, partition)
);

-- The last log index applied per log and partition: what drops duplicates.
CREATE TABLE revocation.applied (
  projection     text    NOT NULL,
  log_id         uuid    NOT NULL,
  partition      integer NOT NULL,
  last_log_index bigint  NOT NULL,
  PRIMARY KEY (projection, log_id, partition)
);
