-- overmighty_roles.sql: the login roles of our processes that could forge events. Catalogues only.
SELECT r.rolname::text
  FROM pg_catalog.pg_roles AS r
 WHERE r.rolname = ANY ($1)
   AND (r.rolsuper
        OR pg_catalog.has_table_privilege(r.oid, 'es.events', 'INSERT, UPDATE, DELETE, TRUNCATE'));
