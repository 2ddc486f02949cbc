// Replaced by the first real file of HTTPClient.
