-- lease_mails.sql: leases mails that are due for 30 s; rows another sender is leasing are passed
-- over, unless it would for a minute: then it did before the server's clock was set back. Relies on
-- mail_queue_due (due_at) and the primary key. Found once, and then an array: a join might look for
-- more than $1 anew with each row of the table.
WITH due AS MATERIALIZED (
  SELECT login_link, generation
    FROM es.mail_queue
   WHERE due_at <= statement_timestamp()
     AND (leased_until IS NULL OR leased_until NOT BETWEEN statement_timestamp()
          AND statement_timestamp() + interval '1 minute')
   ORDER BY due_at
   LIMIT $1
     FOR UPDATE SKIP LOCKED
)
UPDATE es.mail_queue AS q SET leased_until = statement_timestamp() + interval '30 seconds'
  FROM due
 WHERE q.login_link = ANY (ARRAY(SELECT d.login_link FROM due AS d))
   AND q.login_link = due.login_link AND q.generation = due.generation
RETURNING q.login_link, q.generation, q.biometric_key, q.project, q.attempts, q.queued_at,
          q.leased_until;
