-- rights.sql: what each role may do with schemas, tables and sequences of ours, by itself or as a
-- member of its group.
WITH roles AS (
  SELECT DISTINCT r.oid, r.rolname
    FROM pg_namespace AS n, aclexplode(n.nspacl) AS a JOIN pg_roles AS r ON r.oid = a.grantee
   WHERE n.nspowner = 'chancery_owner'::regrole AND r.oid <> n.nspowner
), rights AS (
  SELECT n.nspname::text AS name, r.oid,
         concat_ws(' ',
           CASE WHEN has_schema_privilege(r.oid, n.oid, 'USAGE') THEN 'USAGE' END,
           CASE WHEN has_schema_privilege(r.oid, n.oid, 'CREATE') THEN 'CREATE' END) AS may
    FROM pg_namespace AS n CROSS JOIN roles AS r
   WHERE n.nspowner = 'chancery_owner'::regrole
  UNION ALL
  SELECT n.nspname || '.' || c.relname, r.oid,
         CASE WHEN c.relkind = 'S' THEN
           CASE WHEN has_sequence_privilege(r.oid, c.oid, 'USAGE, SELECT, UPDATE') THEN 'USAGE' END
         ELSE
           (SELECT string_agg(left(k.name, 1), '' ORDER BY k.place)
              FROM unnest('{SELECT,INSERT,UPDATE,DELETE,TRUNCATE}'::text[])
                   WITH ORDINALITY AS k (name, place)
             WHERE has_table_privilege(r.oid, c.oid, k.name))
         END
    FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace CROSS JOIN roles AS r
   WHERE n.nspowner = 'chancery_owner'::regrole AND c.relkind NOT IN ('i', 'I', 't')
     -- A partition is of the table, unless somebody has given a right to it by itself.
     AND (NOT c.relispartition OR c.relacl IS NOT NULL)
), lines AS (
  SELECT '' AS name, repeat(' ', 28) || string_agg(rpad(rolname, 14), '' ORDER BY oid) AS line
    FROM roles
  UNION ALL
  SELECT name, rpad(name, 28)
           || string_agg(rpad(coalesce(nullif(may, ''), '-'), 14), '' ORDER BY oid)
    FROM rights GROUP BY name
)
SELECT 'Rights' AS heading, '' AS id, '' AS head,
       string_agg(rtrim(line), E'\n' ORDER BY name) AS body, '' AS definition
  FROM lines;
