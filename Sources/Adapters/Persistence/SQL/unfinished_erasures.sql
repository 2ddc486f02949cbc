-- unfinished_erasures.sql: users whose erasure was recorded since an instant, five minutes ago or
-- more, and whose own key is not destroyed; a thousand at most. Relies on events_erased and
-- sealing_keys_alive, inside the function: it reads what this role may not.
SELECT subject FROM chancery.unfinished_erasures($1) AS subject;
