-- Roles, rights on the database, schemas and the table of applied migrations.
--
-- Roles belong to the cluster, so each step looks before it acts: a second database of the same
-- cluster, or a prepared one without CREATEROLE, passes through unchanged.
-- Passwords and certificates are the operator's; a role made here cannot log in over a password.

DO $roles$
DECLARE
  wanted record;
  setting record;
BEGIN
  FOR wanted IN
    SELECT * FROM (VALUES
      ('chancery_owner', 'NOLOGIN INHERIT'),    -- owns every object; nobody connects as it
      ('log_reader', 'NOLOGIN INHERIT'),        -- group: may read the log and the ledger
      ('token_issuer', 'LOGIN INHERIT'),
      ('event_relay', 'LOGIN INHERIT'),
      ('projector', 'LOGIN INHERIT'),
      ('migrator', 'LOGIN NOINHERIT')           -- becomes chancery_owner by SET ROLE only
    ) AS roles (name, attributes)
  LOOP
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = wanted.name) THEN
      BEGIN
        EXECUTE format('CREATE ROLE %I %s', wanted.name, wanted.attributes);
      EXCEPTION WHEN duplicate_object OR unique_violation THEN
        NULL;  -- another database of the cluster is being migrated at the same time
      END;
    END IF;
  END LOOP;

  FOR wanted IN
    SELECT * FROM (VALUES
      ('log_reader', 'event_relay'), ('log_reader', 'projector'), ('chancery_owner', 'migrator')
    ) AS memberships (parent, child)
  LOOP
    IF NOT EXISTS (
      SELECT FROM pg_auth_members
       WHERE roleid = wanted.parent::regrole AND member = wanted.child::regrole
    ) THEN
      EXECUTE format('GRANT %I TO %I', wanted.parent, wanted.child);
    END IF;
  END LOOP;

  FOR setting IN
    SELECT role, name, value
      FROM (VALUES
             ('token_issuer', '3s'), ('event_relay', '30s'), ('projector', '3s')
           ) AS logins (role, statement_timeout),
           LATERAL (VALUES
             ('statement_timeout', statement_timeout),
             ('lock_timeout', '1s'),
             ('idle_in_transaction_session_timeout', '10s'),
             ('search_path', ''),
             ('jit', 'off'),
             ('synchronous_commit', 'on'),
             -- Every statement reads its keys from a parameter array, one index scan per key:
             -- a plan made for the values costs planning time and is never better.
             ('plan_cache_mode', 'force_generic_plan'),
             -- A plan kept from the time when a partition was empty would read all of it. Every
             -- statement has its index, and the relay's index has the order it reads in.
             ('enable_seqscan', 'off'),
             ('enable_bitmapscan', 'off'),
             ('enable_sort', CASE role WHEN 'event_relay' THEN 'off' ELSE 'on' END)
           ) AS settings (name, value)
  LOOP
    IF NOT EXISTS (
      SELECT FROM pg_roles, unnest(rolconfig) AS present
       WHERE rolname = setting.role
         AND present IN (setting.name || '=' || setting.value,
                         setting.name || '="' || setting.value || '"')
    ) THEN
      EXECUTE format('ALTER ROLE %I SET %I = %L', setting.role, setting.name, setting.value);
    END IF;
  END LOOP;
END $roles$;

DO $database$
DECLARE
  name text := current_database();
BEGIN
  IF NOT has_database_privilege('chancery_owner', name, 'CREATE') THEN
    EXECUTE format('GRANT CREATE ON DATABASE %I TO chancery_owner', name);
  END IF;
  -- Nobody else connects, and no login makes temporary objects that could shadow a name.
  IF has_database_privilege('public', name, 'CONNECT') THEN
    EXECUTE format(
      'GRANT CONNECT ON DATABASE %I TO log_reader, token_issuer, event_relay, projector, migrator',
      name
    );
    EXECUTE format('REVOKE CONNECT, TEMPORARY ON DATABASE %I FROM PUBLIC', name);
  END IF;
END $database$;

SET LOCAL ROLE chancery_owner;

-- A function is for the roles it is granted to, never for everybody.
ALTER DEFAULT PRIVILEGES FOR ROLE chancery_owner REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;

CREATE SCHEMA chancery;
CREATE SCHEMA es;
CREATE SCHEMA limits;
CREATE SCHEMA revocation;

CREATE TABLE chancery.migrations (
  version    integer     PRIMARY KEY CHECK (version > 0),
  name       text        NOT NULL,
  checksum   text        NOT NULL CHECK (checksum ~ '^[0-9a-f]{64}$'),
  applied_at timestamptz NOT NULL DEFAULT statement_timestamp()
);
