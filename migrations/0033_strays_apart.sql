-- es.ensure_partitions as of 0002, but a partition that cannot be attached, because events of its
-- time stand in es.events_default, keeps no other from being made, nor what is over from going: one
-- such event stopped all upkeep, until every event went to es.events_default.
CREATE OR REPLACE FUNCTION es.ensure_partitions(p_now timestamptz) RETURNS SETOF text
  LANGUAGE plpgsql AS $$
DECLARE
  today timestamp := p_now AT TIME ZONE 'UTC';
  wanted record;
BEGIN
  FOR wanted IN
    SELECT 'events_permanent' AS name,
           '80000000-0000-0000-0000-000000000000'::uuid AS lower,
           '90000000-0000-0000-0000-000000000000'::uuid AS upper
    UNION ALL
    SELECT 'events_keyed', 'c0000000-0000-0000-0000-000000000000', NULL
    UNION ALL
    SELECT 'events_default', NULL, NULL
    UNION ALL
    SELECT 'events_t' || to_char(start, 'YYYYMM'),
           es.class_floor(0, start AT TIME ZONE 'UTC'),
           es.class_floor(0, (start + interval '1 month') AT TIME ZONE 'UTC')
      FROM generate_series(date_trunc('month', today) - interval '1 month',
                           date_trunc('month', today) + interval '3 months',
                           interval '1 month') AS start
    UNION ALL
    SELECT 'events_s' || to_char(start, 'IYYY"w"IW'),
           es.class_floor(4, start AT TIME ZONE 'UTC'),
           es.class_floor(4, (start + interval '7 days') AT TIME ZONE 'UTC')
      FROM generate_series(date_trunc('week', today) - interval '7 days',
                           date_trunc('week', today) + interval '35 days',
                           interval '7 days') AS start
  LOOP
    BEGIN
      IF es.add_partition(wanted.name, wanted.lower, wanted.upper) THEN
        RETURN NEXT wanted.name;
      END IF;
    EXCEPTION WHEN check_violation THEN
      RAISE WARNING 'no partition %: events of its time stand in es.events_default', wanted.name;
    END;
  END LOOP;
END $$;

-- es.maintain_partitions as of 0021 and 0024, but one node at a time: two that drop the same
-- partition each waited for what the other had, while everybody waited for one of them.
CREATE OR REPLACE FUNCTION es.maintain_partitions() RETURNS SETOF text
  LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, es, pg_temp SET lock_timeout = '50ms' AS $$
BEGIN
  IF pg_try_advisory_xact_lock(hashtext('chancery.partitions'), 0) THEN
    RETURN QUERY SELECT es.drop_expired_partitions(statement_timestamp());
    RETURN QUERY SELECT es.ensure_partitions(statement_timestamp());
  END IF;
END $$;
