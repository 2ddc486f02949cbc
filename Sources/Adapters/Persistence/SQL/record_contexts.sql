-- Where commands came from; a network that is not known is null. Losing rows is allowed, so the
-- transaction does not wait for the disk.
INSERT INTO es.contexts (command_id, project, subject_id, at, ip_net, user_agent)
SELECT command, project, subject, at, nullif(network, '')::cidr, agent
  FROM unnest($1, $2, $3, $4, $5, $6) AS c (command, project, subject, at, network, agent)
    ON CONFLICT (command_id) DO NOTHING;
