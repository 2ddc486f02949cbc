-- is_told.sql: whether a topic of revocations was told of every one, and there is one that lives,
-- by our clock ($3) or the database's, and does not wait to be published: of a topic made anew
-- nobody would tell it. Relies on the keys of revocation_topic and revocations, and on outbox_key.
SELECT EXISTS (SELECT FROM chancery.revocation_topic WHERE cluster_id = $1 AND topic = $2)
   AND EXISTS (SELECT FROM revocation.revocations AS r
                WHERE r.expires_at > least(statement_timestamp(), $3)
                  AND NOT EXISTS (SELECT FROM revocation.outbox AS o WHERE o.key = r.key));
