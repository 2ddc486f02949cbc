-- rebuild_blocked.sql: streams that the rebuild could not read.
SELECT b.key, b.log_index, b.reason FROM blocked AS b ORDER BY b.log_index LIMIT 10;
