-- maintain_partitions.sql: drops what is past its retention, adds the partitions of the coming
-- months; names both, and what could not be dropped as 'not dropped: <name>: <why>'.
SELECT es.maintain_partitions();
