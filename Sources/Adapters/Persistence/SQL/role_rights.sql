-- role_rights.sql: what login roles may do in our schema. Catalogues only, and names are joined
-- rather than resolved: a role without USAGE of a schema could not ask otherwise. MEMBER counts
-- what a role could become with SET ROLE; rights on a partition count as rights on the log.
SELECT r.rolname::text,
       r.rolsuper,
       pg_catalog.pg_has_role(r.oid, events.relowner, 'MEMBER'),
       pg_catalog.has_table_privilege(r.oid, events.oid, 'INSERT, UPDATE, DELETE, TRUNCATE')
         OR EXISTS (SELECT FROM pg_catalog.pg_inherits AS i
                     WHERE i.inhparent = events.oid
                       AND pg_catalog.has_table_privilege(
                             r.oid, i.inhrelid, 'INSERT, UPDATE, DELETE, TRUNCATE')),
       EXISTS (SELECT FROM pg_catalog.pg_proc AS p
                WHERE p.pronamespace = events.relnamespace AND p.proname = 'append'
                  AND pg_catalog.has_function_privilege(r.oid, p.oid, 'EXECUTE')),
       EXISTS (SELECT FROM pg_catalog.pg_class AS c
                WHERE c.relnamespace = events.relnamespace AND c.relname = 'relay_cursor'
                  AND pg_catalog.has_table_privilege(r.oid, c.oid, 'UPDATE')),
       EXISTS (SELECT FROM pg_catalog.pg_class AS c
                 JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
                WHERE n.nspname = 'revocation' AND c.relkind = 'r'
                  AND pg_catalog.has_table_privilege(r.oid, c.oid, 'INSERT, UPDATE, DELETE'))
  FROM pg_catalog.pg_roles AS r
 CROSS JOIN (SELECT c.oid, c.relowner, c.relnamespace
               FROM pg_catalog.pg_class AS c
               JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
              WHERE n.nspname = 'es' AND c.relname = 'events') AS events
 WHERE r.rolname = ANY ($1)
 ORDER BY r.rolname;
