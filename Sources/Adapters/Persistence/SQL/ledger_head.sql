-- ledger_head.sql: the last number of the published order; -1 before the first.
SELECT coalesce(max(l.log_index), -1) FROM es.ledger AS l;
