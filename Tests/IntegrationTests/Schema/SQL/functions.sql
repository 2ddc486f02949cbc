-- functions.sql: every function of ours as the handbook shows it, and all of it as its definition.
WITH callers AS (
  SELECT DISTINCT r.oid, r.rolname
    FROM pg_namespace AS n, aclexplode(n.nspacl) AS a JOIN pg_roles AS r ON r.oid = a.grantee
   WHERE n.nspowner = 'chancery_owner'::regrole AND r.oid <> n.nspowner
)
SELECT 'Functions of ' || n.nspname AS heading, 'f' || p.oid::text AS id, p.proname::text AS head,
       -- Breaks after a comma or a semicolon, where it is long.
       rtrim(
         regexp_replace(
           replace(
             concat_ws('; ',
               '(' || pg_get_function_arguments(p.oid) || ') RETURNS '
                 || pg_get_function_result(p.oid),
               'SECURITY ' || CASE WHEN p.prosecdef THEN 'DEFINER' ELSE 'INVOKER' END,
               'EXECUTE: ' || coalesce(
                 (SELECT string_agg(c.rolname, ', ' ORDER BY c.oid) FROM callers AS c
                   WHERE has_function_privilege(c.oid, p.oid, 'EXECUTE')), 'owner'),
               'SET ' || array_to_string(p.proconfig, '; SET ')),
             'timestamp with time zone', 'timestamptz'),
           '(.{1,88}(?:[,;]|$)) ?', E'\\1\n', 'g'),
         E'\n') AS body,
       pg_get_functiondef(p.oid) AS definition
  FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = p.pronamespace
 WHERE n.nspowner = 'chancery_owner'::regrole AND p.prokind <> 'a'
 ORDER BY n.nspname, p.oid;
