-- tables.sql: every table of ours as the handbook shows it: a line for each column, with the
-- constraints that are of it alone; then all others, indexes, triggers and partitions.
WITH ours AS (
  -- A sequence is seen where it is the default of a column, and among the rights.
  SELECT c.*, n.nspname
    FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
   WHERE n.nspowner = 'chancery_owner'::regrole AND c.relkind NOT IN ('i', 'I', 'S', 't')
     AND NOT c.relispartition
), partitions AS (
  -- Those that the day of the migration has made have names with its time, and are shown as one.
  SELECT i.inhparent AS oid, p.oid AS part,
         regexp_replace(p.relname, '[0-9]+(w[0-9]+)?$', '*') AS name,
         CASE WHEN p.relname ~ '[0-9]' THEN '' ELSE pg_get_expr(p.relpartbound, p.oid) END AS bound
    FROM pg_inherits AS i JOIN pg_class AS p ON p.oid = i.inhrelid AND p.relispartition
   WHERE p.relkind IN ('r', 'p')
), constraints AS (
  SELECT conrelid AS oid, conkey,
         CASE contype WHEN 'p' THEN '' ELSE 'then ' END || conname AS place,
         CASE WHEN contype = 'p' AND cardinality(conkey) = 1 THEN 'PRIMARY KEY'
              ELSE pg_get_constraintdef(oid, true) END AS line
    FROM pg_constraint WHERE contype IN ('c', 'f', 'p', 'u', 'x')
), columns AS (
  SELECT a.attrelid AS oid, a.attnum AS number, a.attname::text AS name,
         replace(format_type(a.atttypid, a.atttypmod), 'timestamp with time zone', 'timestamptz')
           || CASE WHEN a.attcollation <> t.typcollation
                   THEN ' COLLATE ' || a.attcollation::regcollation ELSE '' END AS type,
         CASE WHEN a.attnotnull THEN 'NOT NULL' ELSE '' END AS nullity,
         concat_ws(' ',
           'DEFAULT ' || pg_get_expr(d.adbin, d.adrelid),
           (SELECT string_agg(c.line, ' ' ORDER BY c.place) FROM constraints AS c
             WHERE c.oid = a.attrelid AND c.conkey = ARRAY[a.attnum])) AS rest
    FROM pg_attribute AS a JOIN pg_type AS t ON t.oid = a.atttypid
    LEFT JOIN pg_attrdef AS d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
   WHERE a.attnum > 0 AND NOT a.attisdropped
), lines AS (
  SELECT oid, 1 AS part, number, '' AS place,
         rpad(name, max(length(name)) OVER own) || '  ' || rpad(type, max(length(type)) OVER own)
           || '  ' || rpad(nullity, 8) || ' ' || rest AS line
    FROM columns WINDOW own AS (PARTITION BY oid)
  UNION ALL
  SELECT oid, 0, 0, '', 'UNLOGGED' FROM ours WHERE relpersistence = 'u'
  UNION ALL
  SELECT oid, 0, 1, '', 'WITH (' || array_to_string(reloptions, ', ') || ')'
    FROM ours WHERE reloptions IS NOT NULL
  UNION ALL
  SELECT oid, 5, 0, '', 'PARTITION BY ' || pg_get_partkeydef(oid) FROM ours WHERE relkind = 'p'
  UNION ALL
  SELECT oid, 2, 0, place, line FROM constraints WHERE cardinality(conkey) <> 1
  UNION ALL
  SELECT coalesce(p.oid, i.indrelid), 3, 0, c.relname,
         concat_ws(' ', CASE WHEN i.indisunique THEN 'UNIQUE' END, 'INDEX', c.relname,
           'ON ' || p.name,
           replace(split_part(pg_get_indexdef(c.oid), ' USING ', 2), 'btree ', ''))
    FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid AND NOT c.relispartition
    LEFT JOIN partitions AS p ON p.part = i.indrelid
   WHERE NOT EXISTS (SELECT FROM pg_constraint AS k WHERE k.conindid = c.oid)
  UNION ALL
  SELECT tgrelid, 4, 0, tgname,
         concat_ws(' ', CASE tgenabled WHEN 'A' THEN 'ALWAYS' WHEN 'D' THEN 'DISABLED' END,
           regexp_replace(pg_get_triggerdef(oid), '^CREATE (.*) ON \S+ (.*)$', '\1 \2'))
    FROM pg_trigger WHERE NOT tgisinternal
  UNION ALL
  SELECT DISTINCT oid, 6, 0, name, concat_ws(' ', 'PARTITION', name, nullif(bound, ''))
    FROM partitions
)
SELECT 'Tables of ' || o.nspname AS heading, 't' || o.oid::text AS id,
       CASE o.relkind WHEN 'r' THEN 'TABLE ' WHEN 'p' THEN 'TABLE ' WHEN 'c' THEN 'TYPE '
                      ELSE 'VIEW ' END || o.relname AS head,
       -- A cast of a literal to the type that it has anyway says nothing.
       regexp_replace(
         coalesce((SELECT string_agg(rtrim(l.line), E'\n' ORDER BY l.part, l.number, l.place)
                     FROM lines AS l WHERE l.oid = o.oid), ''),
         '::[a-z0-9]+( with time zone)?(\[\])?', '', 'g') AS body,
       coalesce(pg_get_viewdef(CASE WHEN o.relkind IN ('v', 'm') THEN o.oid END), '') AS definition
  FROM ours AS o
 ORDER BY o.nspname, o.oid;
