"""Send one Service Layer call over HTTP, and read its bounded response or raise a typed error."""
