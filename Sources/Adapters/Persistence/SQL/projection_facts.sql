-- projection_facts.sql: how far the read model of revocations is, and what stops it.
SELECT (SELECT coalesce(max(l.log_index), -1) FROM es.ledger AS l),
       (SELECT p.frontier FROM revocation.progress AS p WHERE p.projection = $1),
       -- NULL before the first watermark; below 0 it lies ahead, by a clock that was wrong.
       (SELECT floor(extract(epoch FROM clock_timestamp() - p.complete_through))::bigint
          FROM revocation.progress AS p
         WHERE p.projection = $1 AND p.complete_through IS NOT NULL),
       (SELECT count(*) FROM revocation.blocked AS b WHERE b.projection = $1),
       (SELECT format('%s from number %s on: %s',
                      coalesce(b.stream_id::text, encode(b.key, 'hex')), b.log_index, b.reason)
          FROM revocation.blocked AS b WHERE b.projection = $1 ORDER BY b.log_index LIMIT 1);
