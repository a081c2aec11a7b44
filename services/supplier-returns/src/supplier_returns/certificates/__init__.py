"""Load the certificate of HTTPS, check it, and serve a renewed one without a restart."""
