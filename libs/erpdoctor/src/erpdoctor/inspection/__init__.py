"""Read a Service Layer as it is, in one session of its own."""
