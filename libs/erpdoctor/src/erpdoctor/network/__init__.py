"""The connection from this host to an HTTP service: name, port, TLS, reply, clock and speed."""
