-- clear_outbox.sql: these are on Kafka now.
DELETE FROM revocation.outbox WHERE key = ANY ($1::text[]);
