-- Who may do what. No login role may change es.events except by es.append, so position, xid and
-- recorded time cannot be forged.

-- Every program asks at its start whether schema and program agree.
GRANT USAGE ON SCHEMA chancery TO log_reader, token_issuer, event_relay, projector, migrator;
GRANT SELECT ON chancery.migrations
  TO log_reader, token_issuer, event_relay, projector, migrator;

GRANT USAGE ON SCHEMA es TO log_reader, token_issuer;
GRANT SELECT ON es.events, es.ledger, es.log, es.relay_cursor TO log_reader;
GRANT EXECUTE ON FUNCTION es.class_floor, es.uuid7_floor TO log_reader, token_issuer;

GRANT SELECT ON es.events, es.log, es.relay_cursor TO token_issuer;
GRANT EXECUTE ON FUNCTION es.append, es.destroy_key, es.maintain_partitions TO token_issuer;
GRANT SELECT, INSERT, UPDATE, DELETE ON es.snapshots, es.mail_queue TO token_issuer;
GRANT SELECT, INSERT, DELETE ON es.contexts TO token_issuer;
GRANT SELECT, INSERT ON es.sealing_keys TO token_issuer;
GRANT USAGE ON SCHEMA limits TO token_issuer;
GRANT SELECT, INSERT, UPDATE, DELETE ON limits.windows TO token_issuer;
GRANT EXECUTE ON FUNCTION limits.take TO token_issuer;

GRANT UPDATE ON es.relay_cursor TO event_relay;
GRANT INSERT ON es.ledger TO event_relay;

GRANT USAGE ON SCHEMA revocation TO projector;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA revocation TO projector;

-- The operator's list of sessions is answered by the issuer's admin listener.
GRANT USAGE ON SCHEMA revocation TO token_issuer;
GRANT SELECT ON revocation.sessions TO token_issuer;
