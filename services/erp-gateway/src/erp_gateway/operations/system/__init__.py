"""Show administrators the status of the service and its parts."""
