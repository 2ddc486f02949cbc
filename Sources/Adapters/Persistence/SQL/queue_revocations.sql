-- queue_revocations.sql: queues revocations for a topic that has none of them. Relies on the
-- primary key.
INSERT INTO revocation.outbox (log_index, key)
SELECT log_index, key FROM revocation.revocations WHERE key > $1 AND key <= $2
    ON CONFLICT DO NOTHING;
