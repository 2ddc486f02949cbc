-- A partition is added, or dropped, under a lock against everybody. While it waits for that lock,
-- behind a backup that reads, every load and every append waits behind it: with the second of
-- token_issuer's own lock_timeout, once a minute and node. It comes again, so it can wait briefly.
ALTER FUNCTION es.maintain_partitions() SET lock_timeout = '50ms';
