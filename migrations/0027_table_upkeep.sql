-- How tables are kept: what was destroyed goes soon, the list of sessions costs less to write, no
-- index rests on the operating system, and a rebuilt model is kept like the first one.

-- A key that was destroyed and a context that was deleted stay in their pages until a vacuum, which
-- by default waits until a fifth of the table has died. Within a minute now: pages in which nothing
-- died are skipped, and so are the indexes while few pages are concerned.
ALTER TABLE es.sealing_keys
  SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 0);
ALTER TABLE es.contexts
  SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 0);

-- In the order of a projector, so that neither waits for what the other has.
LOCK TABLE revocation.progress, revocation.revocations, revocation.outbox, revocation.sessions,
  revocation.blocked, revocation.offsets, revocation.applied IN ACCESS EXCLUSIVE MODE;

-- By (subject_id, opened_at) and by (project, client, opened_at) nobody asks; every new session was
-- written to both. By their columns, because a rebuild has given them other names.
DO $unread$
DECLARE
  unread regclass;
BEGIN
  FOR unread IN
    SELECT i.indexrelid FROM pg_catalog.pg_index AS i
     WHERE i.indrelid = 'revocation.sessions'::regclass
       AND split_part(pg_get_indexdef(i.indexrelid), ' USING ', 2)
           IN ('btree (subject_id, opened_at)', 'btree (project, client, opened_at)')
  LOOP
    EXECUTE format('DROP INDEX %s', unread);
  END LOOP;
END $unread$;
-- A session's row changes with each of its events, and no indexed column of it does: where its page
-- has room the new version needs no entry in any index.
ALTER TABLE revocation.sessions SET (fillfactor = 85);

-- Texts that are only looked up, by their bytes. In the order of the database's collation an index
-- no longer finds what it holds once the operating system orders letters anew.
ALTER TABLE revocation.revocations ALTER COLUMN key TYPE text COLLATE "C";
ALTER TABLE revocation.outbox ALTER COLUMN key TYPE text COLLATE "C";
ALTER TABLE revocation.offsets
  ALTER COLUMN projection TYPE text COLLATE "C",
  ALTER COLUMN topic TYPE text COLLATE "C";
ALTER TABLE revocation.applied ALTER COLUMN projection TYPE text COLLATE "C";
ALTER TABLE revocation.progress ALTER COLUMN projection TYPE text COLLATE "C";
ALTER TABLE revocation.blocked ALTER COLUMN projection TYPE text COLLATE "C";
ALTER TABLE chancery.revocation_topic ALTER COLUMN projection TYPE text COLLATE "C";

-- What a rebuild before this step has named after their columns.
DO $names$
DECLARE
  renamed record;
BEGIN
  FOR renamed IN
    SELECT i.indexrelid::regclass AS index, w.name
      FROM (VALUES
             ('revocations', 'btree (project, log_index)', 'revocations_feed'),
             ('revocations', 'btree (expires_at)', 'revocations_expiry'),
             ('revocations', 'btree (project, late_number) WHERE (late_number IS NOT NULL)',
              'revocations_late'),
             ('revocations', 'btree (project, log_index) WHERE (first_log_index IS NOT NULL)',
              'revocations_moved'),
             ('outbox', 'btree (key)', 'outbox_key')
           ) AS w (of_table, definition, name)
      JOIN pg_catalog.pg_class AS t
        ON t.relname = w.of_table AND t.relnamespace = 'revocation'::regnamespace
      JOIN pg_catalog.pg_index AS i
        ON i.indrelid = t.oid
       AND split_part(pg_get_indexdef(i.indexrelid), ' USING ', 2) = w.definition
      JOIN pg_catalog.pg_class AS c ON c.oid = i.indexrelid AND c.relname <> w.name
  LOOP
    EXECUTE format('ALTER INDEX %s RENAME TO %I', renamed.index, renamed.name);
  END LOOP;
END $names$;

-- As of 0013, but that the copies have the storage parameters and the names of the indexes, too:
-- LIKE leaves the former out and makes up the latter.
-- Drops models that went out of service a day ago, makes an empty one or finds the one that was
-- begun, and answers its generation. Its schema is revocation_g<generation>. One that was begun
-- before the latest migration may lack what that made, and is begun again.
CREATE OR REPLACE FUNCTION chancery.begin_rebuild(p_restart boolean) RETURNS integer
  LANGUAGE plpgsql AS $$
DECLARE
  old   record;
  made  integer;
  fresh text;
  now_version integer := (SELECT max(m.version) FROM chancery.migrations AS m);
BEGIN
  -- As long as the session of whoever fills it.
  IF NOT pg_try_advisory_lock(hashtext('chancery.rebuild'), 0) THEN
    RAISE EXCEPTION 'another rebuild is under way' USING ERRCODE = 'ES006';
  END IF;
  LOCK TABLE chancery.rebuilds IN EXCLUSIVE MODE;
  FOR old IN
    SELECT generation FROM chancery.rebuilds
     WHERE retired_at < statement_timestamp() - interval '24 hours'
        OR (p_restart OR schema_version IS DISTINCT FROM now_version)
           AND finished_at IS NULL AND retired_at IS NULL
  LOOP
    EXECUTE format('DROP SCHEMA IF EXISTS %I CASCADE', 'revocation_g' || old.generation);
    DELETE FROM chancery.rebuilds WHERE generation = old.generation;
  END LOOP;
  SELECT generation INTO made FROM chancery.rebuilds WHERE finished_at IS NULL
     AND retired_at IS NULL;
  IF made IS NOT NULL THEN
    RETURN made;
  END IF;
  SELECT greatest(coalesce(max(p.generation), 1),
                  (SELECT coalesce(max(r.generation), 1) FROM chancery.rebuilds AS r)) + 1
    INTO made FROM revocation.progress AS p;
  fresh := 'revocation_g' || made;
  EXECUTE format('CREATE SCHEMA %I', fresh);
  FOR old IN
    SELECT c.relname, c.reloptions FROM pg_catalog.pg_class AS c
     WHERE c.relnamespace = 'revocation'::regnamespace AND c.relkind = 'r'
  LOOP
    EXECUTE format('CREATE TABLE %I.%I (LIKE revocation.%I INCLUDING ALL)%s',
                   fresh, old.relname, old.relname,
                   ' WITH (' || array_to_string(old.reloptions, ', ') || ')');
  END LOOP;
  FOR old IN
    SELECT copy.relname AS copied, live.relname AS named
      FROM pg_catalog.pg_class AS live
      JOIN pg_catalog.pg_index AS i ON i.indexrelid = live.oid
      JOIN pg_catalog.pg_class AS of_live ON of_live.oid = i.indrelid
      JOIN pg_catalog.pg_class AS of_copy
        ON of_copy.relname = of_live.relname AND of_copy.relnamespace = fresh::regnamespace
      JOIN pg_catalog.pg_index AS j ON j.indrelid = of_copy.oid
      JOIN pg_catalog.pg_class AS copy ON copy.oid = j.indexrelid
     WHERE live.relnamespace = 'revocation'::regnamespace AND copy.relname <> live.relname
       AND i.indisunique = j.indisunique
       AND split_part(pg_get_indexdef(live.oid), ' USING ', 2)
           = split_part(pg_get_indexdef(copy.oid), ' USING ', 2)
  LOOP
    EXECUTE format('ALTER INDEX %I.%I RENAME TO %I', fresh, old.copied, old.named);
  END LOOP;
  EXECUTE format('INSERT INTO %I.progress (projection, log_id, frontier, generation)
                  SELECT ''revocation'', l.log_id, -1, %s FROM es.log AS l', fresh, made);
  INSERT INTO chancery.rebuilds (generation, schema_version) VALUES (made, now_version);
  RETURN made;
END $$;
