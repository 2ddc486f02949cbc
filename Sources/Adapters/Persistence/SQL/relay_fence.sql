-- relay_fence.sql: the time before the snapshot, so that whatever began before it is in it. Not
-- statement_timestamp(): that is when the portal is executed, and its snapshot is older.
SELECT transaction_timestamp(), pg_snapshot_xmin(s), pg_snapshot_xmax(s)
  FROM pg_current_snapshot() AS s;
