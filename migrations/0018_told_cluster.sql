-- The cluster whose chancery.revocations has, together with revocation.outbox, every revocation: on
-- any other, all of them are queued first. Apart from the offsets, which a rebuild sets, and outside
-- schema revocation, which a rebuild replaces as a whole.
CREATE TABLE chancery.revocation_topic (
  projection text PRIMARY KEY,
  cluster_id text NOT NULL
);
GRANT SELECT, INSERT, UPDATE ON chancery.revocation_topic TO projector;
