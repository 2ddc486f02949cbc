-- role_settings.sql: settings that login roles bring along into this database; NULL: none. The
-- nearest wins, as at a login: role and database, role, database, everybody. Catalogues only.
SELECT r.rolname::text,
       wanted.name,
       (SELECT pg_catalog.substr(entry, pg_catalog.length(wanted.name) + 2)
          FROM pg_catalog.pg_db_role_setting AS s,
               pg_catalog.unnest(s.setconfig) AS entry
         WHERE s.setrole IN (r.oid, 0)
           AND s.setdatabase IN (0, (SELECT d.oid FROM pg_catalog.pg_database AS d
                                      WHERE d.datname = pg_catalog.current_database()))
           AND pg_catalog.starts_with(entry, wanted.name || '=')
         ORDER BY s.setrole = 0, s.setdatabase = 0
         LIMIT 1)
  FROM pg_catalog.pg_roles AS r
 CROSS JOIN pg_catalog.unnest($2::text[]) AS wanted (name)
 WHERE r.rolname = ANY ($1);
