-- commit_later.sql: for the rest of this transaction: its commit does not wait for the disk.
SELECT set_config('synchronous_commit', 'off', true);
