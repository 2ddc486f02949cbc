-- delete_subject_contexts.sql: where a subject's commands came from: the next 1,000, and how many
-- there were. Not how many it took: of some another node may have deleted, others are left.
-- Relies on contexts_subject and the contexts' primary key.
WITH own AS MATERIALIZED (
  SELECT c.command_id FROM es.contexts AS c WHERE c.subject_id = $1 ORDER BY c.at LIMIT 1000
), gone AS (
  DELETE FROM es.contexts AS c WHERE c.command_id = ANY (ARRAY(SELECT command_id FROM own))
)
SELECT count(*) FROM own;
