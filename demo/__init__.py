"""The narrated tour: what the services do, shown over HTTP against the simulated ERP."""
