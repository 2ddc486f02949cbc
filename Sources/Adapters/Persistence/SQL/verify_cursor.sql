-- verify_cursor.sql: the number that is given next, and whether the ledger has the one before $1.
-- Relies on the keys of both tables.
SELECT c.next_index,
       $1::bigint = 0 OR EXISTS (SELECT FROM es.ledger AS l WHERE l.log_index = $1 - 1)
  FROM es.relay_cursor AS c
 WHERE c.only_row;
