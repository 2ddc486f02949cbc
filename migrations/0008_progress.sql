-- How far the revocation read model is complete: moved with the rows it speaks of.
CREATE TABLE revocation.progress (
  projection       text        PRIMARY KEY,
  log_id           uuid        NOT NULL,
  frontier         bigint      NOT NULL,   -- every event up to this number is applied
  complete_through timestamptz,
  complete_index   bigint
);
GRANT SELECT, INSERT, UPDATE, DELETE ON revocation.progress TO projector;
