-- added_clients.sql: the clients that came into the configuration of some projects in the last two
-- hours, in that order. Type 1301 is project-config.applied. Relies on the partial index
-- events_settings; of the documents only the young ones are looked into, and none is sent.
SELECT project, json_array_elements_text(convert_from(payload, 'UTF8')::json -> 'added'),
       occurred_at
  FROM es.events
 WHERE type = 1301 AND project = ANY ($1) AND occurred_at > now() - interval '2 hours'
 ORDER BY project, version;
