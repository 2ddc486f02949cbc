// Replaced by the first real file of Configuration.
