-- is_told.sql: whether a topic of revocations was told of every revocation. Reads a row or none.
SELECT EXISTS (SELECT FROM chancery.revocation_topic WHERE cluster_id = $1 AND topic = $2);
