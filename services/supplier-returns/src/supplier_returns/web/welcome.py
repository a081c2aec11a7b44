"""Page at the root if no web application is installed. It explains how to sign in."""

from typing import Final

from starlette.responses import HTMLResponse
from starlette.types import Receive, Scope, Send

from servicekit.endpoint.routing import encoded_path
from servicekit.errors import MethodNotAllowed, NotFound
from servicekit.request_log import request_facts

_PAGE: Final = """\
<!doctype html>
<html lang="es">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Devoluciones a proveedores</title>
</head>
<body>
<h1>Devoluciones a proveedores</h1>
<p>Aquí responde el servicio; junto a él no hay una aplicación web instalada.
Se inicia sesión con un usuario del ERP:</p>
<dl>
<dt>En el navegador</dt>
<dd>En <a href="../consola/">la consola</a>, donde está activada.</dd>
<dt>Con un programa</dt>
<dd><code>POST {prefix}/api/auth/login</code> con <code>{{"usuario": "…", "clave": "…"}}</code>; la cookie
<code>dp_sid</code> de la respuesta acompaña cada solicitud.</dd>
<dt>La API explicada</dt>
<dd>Con la sesión iniciada, en <a href="api/docs">api/docs</a>, donde está activada.</dd>
</dl>
</body>
</html>
"""
_HEADERS: Final = {
    "Cache-Control": "no-cache",
    "Content-Security-Policy": (
        "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
}


async def show_welcome(scope: Scope, receive: Receive, send: Send) -> None:
    """Serve the page at the root, as the fallback of the application.

    Raises:
        NotFound: the path is not the root.
        MethodNotAllowed: the method is neither GET nor HEAD.
    """
    if encoded_path(scope) != "/":
        raise NotFound
    if scope["method"] not in ("GET", "HEAD"):
        raise MethodNotAllowed(headers={"Allow": "GET, HEAD"})
    facts = request_facts(scope)
    facts.route = "(welcome)"
    await HTMLResponse(_PAGE.format(prefix=facts.prefix), headers=_HEADERS)(scope, receive, send)
