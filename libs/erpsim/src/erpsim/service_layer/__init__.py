"""The Service Layer over HTTP: addresses, sessions, both generations, batches, the web server before it."""
