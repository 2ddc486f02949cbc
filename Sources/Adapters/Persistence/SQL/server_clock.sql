-- server_clock.sql: the server's time, whatever it is doing.
SELECT clock_timestamp();
