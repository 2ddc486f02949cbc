-- release_mails.sql: leases given back before they are over; one that is over may be another's by
-- now and stays. Primary key.
UPDATE es.mail_queue AS q SET leased_until = NULL
  FROM unnest($1::uuid[], $2::integer[], $3::timestamptz[])
       AS held (login_link, generation, leased_until)
 WHERE q.login_link = held.login_link AND q.generation = held.generation
   AND q.leased_until = held.leased_until;
