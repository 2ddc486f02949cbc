-- postpone_mail.sql: the mail is due again in a number of seconds, for anybody; 1 when that was an
-- attempt, 0 when nobody tried to send it. One whose lease is over may be another's by now and
-- stays: that one's try counts. Primary key.
UPDATE es.mail_queue
   SET due_at = statement_timestamp() + make_interval(secs => $3::float8),
       attempts = attempts + $4, leased_until = NULL
 WHERE login_link = $1 AND generation = $2 AND leased_until = $5;
