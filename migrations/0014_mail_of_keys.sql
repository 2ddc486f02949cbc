-- A mail may also say that a biometric key was added. Then `login_link` is the mail's own id, which
-- the key's event names, and `generation` is 1.
ALTER TABLE es.mail_queue ADD COLUMN biometric_key uuid;

-- Generation 0 is no link's: the row of an address that gets no mail, so that a request for it
-- takes the same steps as any other.
ALTER TABLE es.mail_queue DROP CONSTRAINT mail_queue_generation_check;
ALTER TABLE es.mail_queue ADD CHECK (generation >= 0);
