-- An end may leave more to record: of the sessions it let in, of a user's sessions and keys. All of
-- that refuses from the end's commit on; commands of their own record it. Whoever ended it does so
-- at once; issuers go through the ends of the log after them, in case it died meanwhile
-- (Persistence/Stores/PostgresEndingLog.swift).

-- The types are subject.disabled, subject.erased, browser_session.ended, offline_grant.revoked.
CREATE INDEX events_endings ON es.events (log_epoch, xid, position)
  WHERE type IN (104, 106, 506, 711);

-- The last end gone through, in the order of the relay; held by one issuer at a time.
CREATE TABLE es.endings_cursor (
  only_row     boolean     PRIMARY KEY DEFAULT true CHECK (only_row),
  log_epoch    smallint    NOT NULL DEFAULT 1,
  xid          xid8        NOT NULL DEFAULT '0',
  position     bigint      NOT NULL DEFAULT 0,
  leased_until timestamptz NOT NULL DEFAULT '-infinity'
);
INSERT INTO es.endings_cursor DEFAULT VALUES;

GRANT SELECT ON es.endings_cursor TO log_reader;
GRANT SELECT, UPDATE ON es.endings_cursor TO token_issuer;
