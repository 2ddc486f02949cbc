-- waits_for_standby.sql: whether a server process of the role that asks waits for a synchronous
-- standby to have what it commits. Of other roles' processes most roles are not told.
SELECT EXISTS (SELECT FROM pg_catalog.pg_stat_activity AS a
                WHERE a.pid = $1 AND a.wait_event = 'SyncRep');
