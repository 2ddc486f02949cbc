-- Contexts are kept for 90 days. Relies on contexts_at (BRIN).
DELETE FROM es.contexts WHERE at < statement_timestamp() - interval '90 days';
