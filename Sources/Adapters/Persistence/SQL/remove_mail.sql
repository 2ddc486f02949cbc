-- remove_mail.sql: the mail is done with. One whose lease ($3) is over may be another's by now and
-- stays: that one decides. Without a lease it goes, whoever has it: it was sent. Primary key.
DELETE FROM es.mail_queue
 WHERE login_link = $1 AND generation = $2 AND ($3::timestamptz IS NULL OR leased_until = $3);
