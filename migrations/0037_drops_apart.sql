-- es.drop_expired_partitions as of 0028, but a partition that cannot be dropped, because somebody
-- made a view of it or reads it, keeps no other from going, nor those to come from being made: all
-- of that is one transaction, and after five weeks events would have gone to es.events_default.
-- What was not dropped is named beside what was, as 'not dropped: <name>: <why>'. When one was
-- waited for in vain the others are left for the next time: while upkeep waits everybody does.
-- An issuer of before logs such a line as a partition changed, and looks again in an hour.
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
    BEGIN
      EXECUTE format(
        'SELECT EXISTS (SELECT FROM es.%I AS e, es.relay_cursor AS c
           WHERE (e.log_epoch, e.xid, e.position) > (c.log_epoch, c.xid, c.position))',
        expired.name
      ) INTO unpublished;
      IF NOT unpublished THEN
        EXECUTE format('DROP TABLE es.%I', expired.name);
        RETURN NEXT expired.name;
      END IF;
    EXCEPTION WHEN OTHERS THEN
      -- A statement that is ended for its time is not among them: it ends as a whole.
      RETURN NEXT format('not dropped: %s: %s', expired.name, SQLERRM);
      EXIT WHEN SQLSTATE = '55P03';
    END;
  END LOOP;
END $$;
