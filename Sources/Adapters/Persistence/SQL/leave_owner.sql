-- leave_owner.sql: after the first migration, by whoever made the owner for it and is no superuser.
-- A role that may create roles can make itself its member again, but does not act as it unawares.
RESET ROLE;
DO $owner$
BEGIN
  IF NOT (SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = current_user) THEN
    EXECUTE format('REVOKE chancery_owner FROM %I', current_user);
  END IF;
END $owner$;
