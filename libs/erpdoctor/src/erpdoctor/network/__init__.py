"""What stands between this host and an HTTP service: name, port, TLS, an answer, its clock, its speed."""
