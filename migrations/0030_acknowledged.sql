-- Behind the last record that Kafka has acknowledged, of each partition, from the first: a topic that
-- ends before has lost what somebody may have read, or nobody. 0 where nothing is known.
ALTER TABLE es.relay_cursor ADD COLUMN acknowledged bigint[] NOT NULL DEFAULT '{}';
ALTER TABLE chancery.revocation_topic ADD COLUMN acknowledged bigint[] NOT NULL DEFAULT '{}';
-- A topic is known by its cluster and its name: one of another name has none of the events, either.
-- NULL: published before names were kept, to the topic that the next relay names.
ALTER TABLE es.relay_cursor ADD COLUMN topic text COLLATE "C";
