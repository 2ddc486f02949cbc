-- A topic is known by its cluster and its name: one of another name has none of the revocations,
-- either. '': told before names were kept, so all are queued once more.
ALTER TABLE chancery.revocation_topic ADD COLUMN topic text NOT NULL DEFAULT '';
