"""Why something between people's browsers and a service is not ok."""

from typing import Final

from erpdoctor.checks import fail, skipped, warn

NO_ORIGIN: Final = skipped(
    "no_origin",
    "No se indicó la dirección con que la gente llega a este servicio.",
    remedy="Repita con --origin https://… para revisar también el intermediario (proxy).",
)
NO_TOKEN: Final = skipped(
    "no_token",
    "Solo se mira lo que se ve sin sesión.",
    remedy="Repita con erp-gateway doctor --origin … --token-file, con la sesión de un administrador.",
)
HEADERS_MISSING: Final = warn(
    "security_headers_missing",
    "Faltan cabeceras de seguridad en lo que reciben los navegadores.",
    remedy="Deje pasar en el intermediario (proxy) las del servicio y ponga las suyas, como "
    "deploy/nginx.conf.",
)
VERSION_TOLD: Final = warn(
    "server_version_told",
    "El intermediario (proxy) dice su versión a cualquiera.",
    remedy="Quite la versión de la cabecera Server (en nginx, server_tokens off).",
)
METRICS_REACHABLE: Final = fail(
    "metrics_reachable",
    "Las métricas del servicio se pueden leer desde fuera.",
    remedy="Quite del intermediario (proxy) la ruta hacia METRICS_PORT: es solo para la red interna.",
)
BODY_LIMIT_LOW: Final = fail(
    "body_limit_low",
    "El intermediario (proxy) rechaza cuerpos que el servicio acepta.",
    remedy="Suba su límite (en nginx, client_max_body_size) por encima de lo que recibe el servicio.",
)
BODY_UNBOUNDED: Final = warn(
    "body_unbounded",
    "El intermediario (proxy) recibe cuerpos de cualquier tamaño, y los guarda en su disco.",
    remedy="Ponga un límite (en nginx, client_max_body_size) algo mayor que lo que recibe el servicio.",
)
BROKEN_OFF: Final = fail(
    "origin_broken_off",
    "El intermediario (proxy) cortó la conexión sin responder.",
    remedy="Vea en el registro del intermediario por qué la cortó.",
)
