-- begin_rebuild.sql: the generation that is rebuilt, made or found.
SELECT chancery.begin_rebuild($1);
