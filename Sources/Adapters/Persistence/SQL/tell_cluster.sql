-- tell_cluster.sql: everything is queued for the topic of this name on this cluster, which has
-- acknowledged nothing of it yet.
INSERT INTO chancery.revocation_topic (projection, cluster_id, topic) VALUES ($1, $2, $3)
    ON CONFLICT (projection) DO UPDATE
       SET cluster_id = excluded.cluster_id, topic = excluded.topic,
           acknowledged = excluded.acknowledged;
