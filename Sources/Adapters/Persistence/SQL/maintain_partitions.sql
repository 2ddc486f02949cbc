-- maintain_partitions.sql: adds the partitions of the coming months, drops what is past its
-- retention; names both.
SELECT es.maintain_partitions();
