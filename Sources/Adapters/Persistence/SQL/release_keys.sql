-- release_keys.sql: everything of these keys is applied.
DELETE FROM blocked WHERE projection = $1 AND key = ANY ($2::bytea[]);
