-- Destroys a key for good; false when there was none to destroy.
SELECT es.destroy_key($1);
