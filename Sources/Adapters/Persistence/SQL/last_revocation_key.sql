-- last_revocation_key.sql: the last of the next keys to queue again. Relies on the primary key.
SELECT max(key)
  FROM (SELECT key FROM revocation.revocations WHERE key > $1 ORDER BY key LIMIT 5000) AS next;
