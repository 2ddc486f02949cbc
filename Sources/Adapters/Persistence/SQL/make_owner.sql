-- make_owner.sql: before the first step, which becomes the owner: a role that may create roles, and
-- is no superuser, has to make itself its member first. Where the owner is there, somebody has seen
-- to it.
DO $owner$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'chancery_owner')
     AND NOT (SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = current_user) THEN
    CREATE ROLE chancery_owner NOLOGIN INHERIT;
    EXECUTE format('GRANT chancery_owner TO %I', current_user);
  END IF;
END $owner$;
