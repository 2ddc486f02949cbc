// Replaced by the first real file of HTTPServer.
