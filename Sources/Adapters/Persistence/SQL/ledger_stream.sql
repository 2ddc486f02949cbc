-- ledger_stream.sql: the stream of a number of the published order.
SELECT l.stream_id FROM es.ledger AS l WHERE l.log_index = $1;
