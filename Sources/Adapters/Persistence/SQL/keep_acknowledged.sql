-- keep_acknowledged.sql: up to these offsets a topic of revocations has what it was given. Relies
-- on the primary key.
UPDATE chancery.revocation_topic SET acknowledged = $3 WHERE projection = $1 AND topic = $2;
