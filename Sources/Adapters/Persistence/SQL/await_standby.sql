-- await_standby.sql: writes nothing but a word to the server's own log, in a commit that waits as
-- every other: once it is answered, the standby has all that was committed before it.
SELECT pg_logical_emit_message(true, 'chancery', '');
