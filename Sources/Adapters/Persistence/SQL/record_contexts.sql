-- record_contexts.sql: where commands came from; a network that is not known is null. Losing rows
-- is allowed, so the transaction does not wait for the disk. Of a subject that was erased meanwhile
-- nothing is kept: its key is destroyed first. Relies on the keys' primary key.
INSERT INTO es.contexts (command_id, project, subject_id, at, ip_net, user_agent)
SELECT command, project, subject, at, nullif(network, '')::cidr, agent
  FROM unnest($1, $2, $3, $4, $5, $6) AS c (command, project, subject, at, network, agent)
 WHERE NOT EXISTS (SELECT FROM es.sealing_keys AS k
                    WHERE k.key_id = subject AND k.destroyed_at IS NOT NULL)
    ON CONFLICT (command_id) DO NOTHING;
