-- relay_take_lead.sql: makes this session the active one of its kind, if nobody is.
-- The lock ends with the session, so a killed process frees it. Two numbers: a key space apart
-- from the one es.append locks streams in.
SELECT pg_try_advisory_lock($1, $2);
