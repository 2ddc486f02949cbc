-- roles.sql: the roles that have a right to one of our schemas; then the settings that they bring
-- along.
WITH own AS (
  SELECT r.*
    FROM pg_roles AS r
   WHERE EXISTS (SELECT FROM pg_namespace AS n, aclexplode(n.nspacl) AS a
                  WHERE n.nspowner = 'chancery_owner'::regrole AND a.grantee = r.oid)
), settings AS (
  SELECT o.rolname, split_part(s, '=', 1) AS name, split_part(s, '=', 2) AS value
    FROM own AS o, unnest(o.rolconfig) AS s
), lines AS (
  SELECT 1 AS part, o.oid::bigint AS place,
         rpad(o.rolname, 16)
           || rpad(CASE WHEN o.rolcanlogin THEN 'LOGIN' ELSE 'NOLOGIN' END, 9)
           || rpad(CASE WHEN o.rolinherit THEN 'INHERIT' ELSE 'NOINHERIT' END, 11)
           || concat_ws(' ',
                CASE WHEN o.rolsuper THEN 'SUPERUSER' END,
                CASE WHEN o.rolcreaterole THEN 'CREATEROLE' END,
                CASE WHEN o.rolcreatedb THEN 'CREATEDB' END,
                CASE WHEN o.rolreplication THEN 'REPLICATION' END,
                CASE WHEN o.rolbypassrls THEN 'BYPASSRLS' END,
                (SELECT 'member of ' || string_agg(g.rolname, ', ' ORDER BY g.rolname)
                   FROM pg_auth_members AS m JOIN pg_roles AS g ON g.oid = m.roleid
                  WHERE m.member = o.oid)) AS line
    FROM own AS o
  UNION ALL
  SELECT 2, 0, repeat(' ', 39) || string_agg(rpad(rolname, 20), '' ORDER BY rolname)
    FROM (SELECT DISTINCT rolname FROM settings) AS r
  UNION ALL
  SELECT 3, row_number() OVER (ORDER BY n.name),
         rpad(n.name, 39) || string_agg(rpad(coalesce(s.value, '-'), 20), '' ORDER BY r.rolname)
    FROM (SELECT DISTINCT name FROM settings) AS n
    CROSS JOIN (SELECT DISTINCT rolname FROM settings) AS r
    LEFT JOIN settings AS s ON s.name = n.name AND s.rolname = r.rolname
   GROUP BY n.name
)
SELECT 'Roles' AS heading, '' AS id, '' AS head,
       string_agg(rtrim(line), E'\n' ORDER BY part, place) AS body, '' AS definition
  FROM lines
 GROUP BY part > 1
 ORDER BY part > 1;
