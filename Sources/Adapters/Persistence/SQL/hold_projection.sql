-- hold_projection.sql: raises ES005 when another model has been put in place of the one we know.
SELECT chancery.hold_projection($1, $2);
