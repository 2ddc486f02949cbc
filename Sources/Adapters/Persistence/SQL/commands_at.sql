-- commands_at.sql: which command wrote each (stream, version); the number of the pair asked for,
-- where there is one. Finds out what became of a call whose answer was lost. Relies on the primary
-- key. A word to the server's own log has it commit, and so wait for the standby: what the call has
-- left may have been confirmed by nobody.
SELECT wanted.number, e.command_id, pg_logical_emit_message(true, 'chancery', '')
  FROM unnest($1, $2) WITH ORDINALITY AS wanted (stream_id, version, number)
 CROSS JOIN LATERAL (
         SELECT found.command_id FROM es.events AS found
          WHERE found.stream_id = wanted.stream_id AND found.version = wanted.version
       ) AS e;
