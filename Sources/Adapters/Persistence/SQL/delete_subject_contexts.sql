-- Where a subject's commands came from, also of those that were given before it was known whose
-- they are, such as the first request of a login. Relies on events_subject, the events' primary
-- key, contexts_subject and the contexts' primary key.
DELETE FROM es.contexts AS c
 WHERE c.command_id IN (
         SELECT own.command_id FROM es.contexts AS own WHERE own.subject_id = $1
         UNION
         SELECT e.command_id
           FROM (SELECT DISTINCT own.stream_id FROM es.events AS own WHERE own.subject_id = $1)
                AS its
           JOIN es.events AS e ON e.stream_id = its.stream_id
       );
