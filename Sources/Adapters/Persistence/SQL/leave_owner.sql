-- leave_owner.sql: after join_owner.sql, in its transaction. A role that made itself a member, now
-- or in a run that broke off, does not act as the owner unawares; one that somebody else made a
-- member stays it, and so does migrator, which is there for that. Of a membership that was given
-- here PostgreSQL 16 may call another role the grantor.
RESET ROLE;
DO $owner$
BEGIN
  IF current_user <> 'migrator' AND (
    pg_catalog.current_setting('chancery.joined', true) = 'yes' OR EXISTS (
      SELECT FROM pg_catalog.pg_auth_members AS m
        JOIN pg_catalog.pg_roles AS mine ON mine.oid = m.member AND mine.oid = m.grantor
       WHERE m.roleid = 'chancery_owner'::regrole AND mine.rolname = current_user
    )
  ) THEN
    EXECUTE format('REVOKE chancery_owner FROM %I', current_user);
  END IF;
END $owner$;
