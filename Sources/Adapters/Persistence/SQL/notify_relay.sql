-- notify_relay.sql: tells the relay that there is something to read. No WAL flush is waited for:
-- nothing is lost with a lost notification, the relay looks every 50 ms anyway.
SELECT set_config('synchronous_commit', 'off', true), pg_notify('es', '');
