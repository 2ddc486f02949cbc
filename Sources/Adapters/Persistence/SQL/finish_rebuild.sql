-- finish_rebuild.sql: puts the rebuilt model in service.
SELECT added, gone FROM chancery.finish_rebuild($1, $2, $3, $4, $5, $6);
