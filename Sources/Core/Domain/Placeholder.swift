// Values and aggregates.
