-- beat.sql: whether the server answers at all: waits for no lock, reads no table.
SELECT 1
