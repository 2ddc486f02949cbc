-- tell_cluster.sql: everything is queued for this cluster.
INSERT INTO chancery.revocation_topic (projection, cluster_id) VALUES ($1, $2)
    ON CONFLICT (projection) DO UPDATE SET cluster_id = excluded.cluster_id;
