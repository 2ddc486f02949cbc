-- rebuild_state.sql: how far the model that is rebuilt is; its schema is on the search path.
SELECT p.log_id, p.frontier FROM progress AS p;
