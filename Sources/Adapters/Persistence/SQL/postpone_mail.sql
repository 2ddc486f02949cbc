-- The mail is due again in a number of seconds, for anybody. Primary key.
UPDATE es.mail_queue
   SET due_at = statement_timestamp() + make_interval(secs => $3::float8),
       attempts = attempts + 1, leased_until = NULL
 WHERE login_link = $1 AND generation = $2;
