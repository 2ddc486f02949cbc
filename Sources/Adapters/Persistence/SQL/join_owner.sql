-- join_owner.sql: whoever migrates, and cannot become the owner, makes itself its member for this
-- transaction; leave_owner.sql ends that. It needs a role that may create roles. PostgreSQL 16 has
-- members that may not become what they are members of.
DO $owner$
DECLARE
  becoming text := CASE WHEN pg_catalog.current_setting('server_version_num')::int >= 160000
                        THEN 'SET' ELSE 'MEMBER' END;
BEGIN
  IF (SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = current_user) THEN
    RETURN;
  END IF;
  IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'chancery_owner') THEN
    CREATE ROLE chancery_owner NOLOGIN INHERIT;
  END IF;
  IF NOT pg_catalog.pg_has_role('chancery_owner', becoming) THEN
    EXECUTE format('GRANT chancery_owner TO %I', current_user);
    PERFORM pg_catalog.set_config('chancery.joined', 'yes', true);
  END IF;
END $owner$;
