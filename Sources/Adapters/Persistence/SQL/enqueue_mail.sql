-- enqueue_mail.sql: a mail is due now. The same one again changes nothing. Primary key (login_link,
-- generation).
INSERT INTO es.mail_queue (login_link, generation, biometric_key, project) VALUES ($1, $2, $3, $4)
    ON CONFLICT (login_link, generation) DO NOTHING;
