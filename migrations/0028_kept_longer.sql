-- es.drop_expired_partitions as of 0002, but that class T is kept for as long as anything may rest
-- on a stream of it. An app's session lives 365 days at most, and may begin on the last of the 365
-- days of the browser-session in which its user logged in. It counts only as long as that one is
-- open, so it needs the stream until its own last day, day 730; and 30 days. After 430 days it was
-- signed out though nothing had ended.
CREATE OR REPLACE FUNCTION es.drop_expired_partitions(p_now timestamptz) RETURNS SETOF text
  LANGUAGE plpgsql AS $$
DECLARE
  today timestamp := p_now AT TIME ZONE 'UTC';
  expired record;
  unpublished boolean;
BEGIN
  FOR expired IN
    SELECT name FROM (
      SELECT c.relname AS name,
             CASE
               WHEN c.relname ~ '^events_t[0-9]{6}$'
                 THEN to_date(right(c.relname, 6), 'YYYYMM') + interval '1 month 760 days'
               WHEN c.relname ~ '^events_s[0-9]{4}w[0-9]{2}$'
                 THEN to_date(right(c.relname, 7), 'IYYY"w"IW') + interval '21 days'
             END AS kept_until
        FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid
       WHERE i.inhparent = 'es.events'::regclass) AS partitions
     WHERE kept_until < today
     ORDER BY name
  LOOP
    EXECUTE format(
      'SELECT EXISTS (SELECT FROM es.%I AS e, es.relay_cursor AS c
         WHERE (e.log_epoch, e.xid, e.position) > (c.log_epoch, c.xid, c.position))',
      expired.name
    ) INTO unpublished;
    IF NOT unpublished THEN
      EXECUTE format('DROP TABLE es.%I', expired.name);
      RETURN NEXT expired.name;
    END IF;
  END LOOP;
END $$;
