"""Why something between people's browsers and a service is not ok; the second half only a session shows."""

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
TOKEN_UNREADABLE: Final = fail(
    "token_unreadable",
    "El archivo de --token-file no se puede leer, o no contiene un token.",
    remedy="Guarde en él, en una línea, el token que responde POST /api/auth/login.",
)
TOKEN_OPEN: Final = fail(
    "token_open_to_others",
    "Otros usuarios del sistema pueden leer el archivo con el token; no se usó.",
    remedy="Cierre esa sesión, entre de nuevo y deje el archivo solo para su dueño (chmod 600).",
)
TOKEN_REFUSED: Final = fail(
    "token_refused",
    "El servicio no acepta el token: la sesión terminó, o el intermediario (proxy) no lo deja pasar.",
    remedy="Entre de nuevo para tener otro token; si sigue, deje pasar la cabecera Authorization.",
)
TOKEN_PLAIN: Final = fail(
    "token_not_administrators",
    "El token es de alguien que no es administrador.",
    remedy="Use el token de un administrador (permiso *).",
)
NO_PROBE: Final = fail(
    "no_probe",
    "La sonda /api/system/probe no responde a través del intermediario (proxy).",
    remedy="Deje pasar en el intermediario todo lo que está bajo /api/, y use esta misma versión del "
    "servicio.",
)
PATH_DECODED: Final = fail(
    "path_decoded",
    "El intermediario (proxy) descifra la dirección: una clave con %2F llega cortada en dos.",
    remedy="Pase la dirección tal como llegó (en nginx, proxy_pass http://servicio$request_uri, sin "
    "rewrite).",
)
PATH_CHANGED: Final = fail(
    "path_changed",
    "El intermediario (proxy) cambia la dirección: una clave llega escrita de otro modo.",
    remedy="Pase la dirección tal como llegó (en nginx, $request_uri), sin reglas que la reescriban.",
)
PATH_REFUSED: Final = fail(
    "path_refused",
    "El intermediario (proxy) rechaza direcciones con ciertos caracteres en la clave.",
    remedy="Permita en él %2F, comillas y porcentajes bajo /api/; suele ser una regla de seguridad (WAF).",
)
ZERO_CHANGED: Final = fail(
    "zero_byte_changed",
    "El intermediario (proxy) acepta %00 en una clave y la pasa cambiada: se leería otro registro.",
    remedy="Haga que pase la dirección tal como llegó, o que la rechace con 400.",
)
FORWARDED_BELIEVED: Final = fail(
    "forwarded_headers_believed",
    "El intermediario (proxy) pasa lo que el cliente dice de su dirección, y el servicio lo cree.",
    remedy="Sobrescriba en él esas cabeceras (en nginx, proxy_set_header X-Forwarded-For $remote_addr).",
)
PROXY_NOT_TRUSTED: Final = fail(
    "proxy_not_trusted",
    "El servicio no cree al intermediario (proxy): todas las personas parecen venir de una sola dirección.",
    remedy="Agregue a TRUSTED_PROXIES la dirección del intermediario, y solo esa.",
)
ORIGIN_NOT_TOLD: Final = fail(
    "origin_not_told",
    "El intermediario (proxy) no dice al servicio con qué dirección lo llaman.",
    remedy="Pase en él Host, X-Forwarded-Proto y X-Forwarded-Host, como deploy/nginx.conf.",
)
BODY_LOST: Final = fail(
    "body_lost",
    "Un cuerpo tan grande como el servicio los acepta no llega entero.",
    remedy="Revise en el registro del intermediario (proxy) sus límites, su disco y su carpeta temporal.",
)
STREAM_BUFFERED: Final = fail(
    "stream_buffered",
    "El intermediario (proxy) junta los avisos y los entrega al final: nadie ve el avance.",
    remedy="Respete X-Accel-Buffering en él (sin proxy_ignore_headers), o use proxy_buffering off "
    "bajo /api/.",
)
STREAM_BROKEN: Final = fail(
    "stream_broken",
    "Los avisos de avance no llegan a través del intermediario (proxy).",
    remedy="Vea en el registro del intermediario por qué corta o rechaza text/event-stream.",
)
GIVES_UP_EARLY: Final = fail(
    "gives_up_early",
    "El intermediario (proxy) deja de esperar antes que el servicio responda.",
    remedy="Suba su espera por encima de la petición más larga (en nginx, proxy_read_timeout 600s).",
)
WAIT_NOT_ASKED: Final = skipped("wait_not_asked", "--wait es 0.")
