-- start_facts.sql: what a process must know of the database and of its role before it starts.
-- Catalogues only. Needs our schema; tables are named by their rows in pg_class, because a role
-- may not look into every schema.
SELECT pg_catalog.pg_encoding_to_char(d.encoding)::text,
       r.rolname::text,
       array_to_string(ARRAY[
         CASE WHEN r.rolsuper THEN 'superuser' END,
         CASE WHEN pg_catalog.pg_has_role(r.oid, events.relowner, 'MEMBER') THEN 'owner' END,
         CASE WHEN pg_catalog.has_table_privilege(
                r.oid, events.oid, 'INSERT, UPDATE, DELETE, TRUNCATE') THEN 'writer' END,
         CASE WHEN EXISTS (
           SELECT FROM pg_catalog.pg_proc AS p
            WHERE p.pronamespace = events.relnamespace AND p.proname = 'append'
              AND pg_catalog.has_function_privilege(r.oid, p.oid, 'EXECUTE'))
           THEN 'token-issuer' END,
         CASE WHEN EXISTS (
           SELECT FROM pg_catalog.pg_class AS c
            WHERE c.relnamespace = events.relnamespace AND c.relname = 'relay_cursor'
              AND pg_catalog.has_table_privilege(r.oid, c.oid, 'UPDATE')) THEN 'event-relay' END,
         CASE WHEN EXISTS (
           SELECT FROM pg_catalog.pg_class AS c
             JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
            WHERE n.nspname = 'revocation' AND c.relname = 'sessions'
              AND pg_catalog.has_table_privilege(r.oid, c.oid, 'INSERT'))
           THEN 'revocation-projector' END
       ], ',')
  FROM pg_catalog.pg_database AS d,
       pg_catalog.pg_roles AS r,
       pg_catalog.pg_class AS events
       JOIN pg_catalog.pg_namespace AS es ON es.oid = events.relnamespace
 WHERE d.datname = current_database() AND r.rolname = current_user
   AND es.nspname = 'es' AND events.relname = 'events';
