-- What upkeep needs so that its time does not grow with the tables.

-- For what is on Kafka by now, and for expired revocations that are not.
CREATE INDEX outbox_key ON revocation.outbox (key);

-- The issuer's role reads no bitmaps, so the BRIN index served nobody.
DROP INDEX es.contexts_at;
CREATE INDEX contexts_at ON es.contexts (at);

-- The few keys of links and hints that live, among those that do not.
CREATE INDEX sealing_keys_alive ON es.sealing_keys (key_id) WHERE destroyed_at IS NULL;
