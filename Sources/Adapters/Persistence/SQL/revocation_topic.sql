-- revocation_topic.sql: the cluster on which the topic of this name has, with the outbox, every
-- revocation, and what was acknowledged there; no row while none has. Relies on the primary key.
SELECT cluster_id, acknowledged FROM chancery.revocation_topic WHERE projection = $1 AND topic = $2;
