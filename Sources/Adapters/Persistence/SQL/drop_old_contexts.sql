-- drop_old_contexts.sql: contexts are kept for 90 days; a thousand at a time. Relies on contexts_at
-- and the primary key.
WITH old AS (
  SELECT command_id FROM es.contexts
   WHERE at < least(statement_timestamp(), $1) - interval '90 days'
   ORDER BY at LIMIT 1000
), gone AS (
  DELETE FROM es.contexts AS c USING old WHERE c.command_id = old.command_id RETURNING 1
)
SELECT count(*) FROM gone;
