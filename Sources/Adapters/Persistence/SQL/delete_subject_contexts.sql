-- Where a subject's commands came from: the next 1,000, a row for each.
-- Relies on contexts_subject and the contexts' primary key.
DELETE FROM es.contexts AS c
 WHERE c.command_id = ANY (ARRAY(
         SELECT own.command_id FROM es.contexts AS own
          WHERE own.subject_id = $1 ORDER BY own.at LIMIT 1000))
RETURNING 1;
