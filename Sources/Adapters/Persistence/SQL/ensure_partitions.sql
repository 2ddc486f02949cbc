-- ensure_partitions.sql: adds the partitions of the coming three months; as chancery_owner.
SELECT es.ensure_partitions(statement_timestamp());
