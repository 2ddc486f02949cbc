-- remove_mail.sql: the mail is done with. Primary key.
DELETE FROM es.mail_queue WHERE login_link = $1 AND generation = $2;
