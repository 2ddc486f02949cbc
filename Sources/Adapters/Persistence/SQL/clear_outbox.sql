-- clear_outbox.sql: these are on Kafka now. Relies on outbox_key.
DELETE FROM revocation.outbox WHERE key = ANY ($1::text[]);
