-- How the relay and the projector, which cannot name a keyed stream, find the projects there are:
-- their names, documents and public keys. Types 1201-1299 are signing-key, 1301-1399
-- project-config: a handful of rows, so appends of anything else do not touch this index.
CREATE INDEX events_settings ON es.events (project, type, version)
 WHERE type BETWEEN 1201 AND 1399;
