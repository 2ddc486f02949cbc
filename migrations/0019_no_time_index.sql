-- Nothing asks by time alone: every statement names a stream, a subject or a session, and the roles of
-- the programs do without bitmap scans, the only ones that use such an index. Each append paid for
-- it, and at full load autovacuum could not keep up with its ranges, which PostgreSQL's log said in
-- 16 lines for each (decision 0102). Waits for statements under way, and lets none wait long behind.
SET LOCAL lock_timeout = '5s';
DROP INDEX es.events_time;
