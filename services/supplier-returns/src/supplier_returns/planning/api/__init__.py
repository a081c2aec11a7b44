"""HTTP endpoints of `/api/planificaciones` with their request and response bodies."""
