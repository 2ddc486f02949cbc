-- A client that leaves again takes its row along to its new number. Until the frontier has come
-- there, the feed knows by the first one that a number it has passed has no row now.
ALTER TABLE revocation.revocations ADD COLUMN first_log_index bigint;  -- null: it has not moved
CREATE INDEX revocations_moved ON revocation.revocations (project, log_index)
 WHERE first_log_index IS NOT NULL;
