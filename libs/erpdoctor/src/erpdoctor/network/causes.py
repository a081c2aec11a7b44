"""Causes of failed connections to another host."""

from typing import Final

from erpdoctor.checks import Cause, fail, warn
from erpdoctor.network.certificates import Trouble

NAME_UNKNOWN: Final = fail(
    "name_unknown",
    "El nombre del servidor no se puede resolver.",
    english="The name has no address: wrong name, or DNS.",
    remedy="Corrija el nombre en la dirección configurada, o el DNS (o el archivo hosts) de esta máquina.",
    english_remedy="Correct the name in the configured address, or DNS (or the hosts file) of this machine.",
)
CONNECTION_REFUSED: Final = fail(
    "connection_refused",
    "Nadie escucha en ese puerto.",
    english="No process listens at any address of the name: wrong port, or the server is down.",
    remedy="Corrija el puerto de la dirección configurada, o ponga en marcha el servicio en ese servidor.",
    english_remedy="Correct the port of the configured address, or start the service on that server.",
)
NO_CONNECTION: Final = fail(
    "no_connection",
    "No se pudo abrir una conexión.",
    english="No route to any address of the name, or a firewall.",
    remedy="Pida a quien administra la red que permita llegar desde esta máquina a ese servidor y puerto.",
    english_remedy="Ask the network's administrator to let this machine reach that server and port.",
)
AUTHORITIES_EXPIRED: Final = warn(
    "authority_expired",
    "El archivo de autoridades tiene certificados vencidos.",
    english="A certificate in the file of authorities has expired.",
    remedy="Quite los certificados vencidos del archivo y agregue los que los reemplazan.",
    english_remedy="Remove the expired certificates from the file and add those that replace them.",
)
NOT_VERIFIED: Final = warn(
    "certificate_not_verified",
    "El certificado no se comprueba (VERIFY_SSL=false).",
    english="`VERIFY_SSL` is false. For the public address this can't happen.",
    remedy="Configure el archivo de autoridades y quite VERIFY_SSL=false.",
    english_remedy="Configure the authorities and remove VERIFY_SSL=false.",
)
PLAIN_HTTP: Final = warn(
    "plain_http",
    "La conexión no está cifrada: las contraseñas viajan legibles por la red.",
    english="Plain http in production, to another host.",
    remedy="Use la dirección https del servicio.",
    english_remedy="Use the service's https address.",
)
EXPIRES_SOON: Final = warn(
    "certificate_expires_soon",
    "El certificado vence en menos de 30 días.",
    english="It expires within 30 days.",
    remedy="Renueve el certificado del servidor antes de esa fecha.",
    english_remedy="Renew the server's certificate before that date.",
)
CHAIN_EXPIRED: Final = fail(
    "authority_of_chain_expired",
    "El certificado del servidor está vigente; el de una autoridad que lo firma venció, o aún no es válido.",
    english="The server's own certificate is valid, but that of an authority which signed it is not: "
    "the one in the file of authorities, or one that the server sends. The terminal shows who "
    "signed it, and the validity of those in the file.",
    remedy="Ponga la autoridad vigente en el archivo de autoridades y en la cadena que envía el servidor.",
    english_remedy="Put the current authority into the file of authorities and into the chain that "
    "the server sends.",
)
CLOCKS_DIFFER: Final = warn(
    "clocks_differ",
    "El reloj de esta máquina y el del servidor difieren en más de un minuto.",
    english="The clocks differ by more than a minute.",
    remedy="Sincronice ambos relojes con un servidor de hora (NTP).",
    english_remedy="Set both clocks by a time server (NTP).",
)
NO_CLOCK: Final = warn(
    "no_date",
    "El servidor no dice su hora.",
    english="The response has no time.",
    remedy="Revise si un intermediario quita la cabecera Date de las respuestas.",
    english_remedy="Check whether a proxy removes the header Date from responses.",
)
SLOW: Final = warn(
    "slow",
    "El servidor tarda más de medio segundo en responder a la consulta más sencilla.",
    english="It takes longer.",
    remedy="Acerque este servicio al servidor, o revise la red y la carga del servidor.",
    english_remedy="Move this service closer to the server, or check the network and the server's load.",
)
OTHER_SERVICE: Final = fail(
    "other_service",
    "En esa dirección responde otra cosa.",
    english="Something else responds: wrong path, or a proxy's own page.",
    remedy="Corrija la dirección configurada, o el intermediario (proxy) que la atiende.",
    english_remedy="Correct the configured address, or the proxy that serves it.",
)
NO_ANSWER: Final = fail(
    "no_answer",
    "El servidor acepta la conexión y no responde.",
    english="The connection is accepted, but no response comes.",
    remedy="Reinicie ese servicio, y revise su carga y sus registros.",
    english_remedy="Restart that service, and look at its load and its logs.",
)
GATEWAY_PAGE: Final = fail(
    "gateway_page",
    "Solo responde el intermediario: el servicio que está detrás de él no contesta.",
    english="Only the load balancer responds. The Service Layer behind it does not.",
    remedy="Ponga en marcha, o reinicie, el servicio detrás del intermediario.",
    english_remedy="Start, or restart, the service behind the proxy.",
)

TROUBLES: Final[dict[Trouble, Cause]] = {
    Trouble.EXPIRED: fail(
        Trouble.EXPIRED.value,
        "El certificado del servidor venció.",
        english="The server's certificate has expired.",
        remedy="Renueve el certificado del servidor.",
        english_remedy="Renew the server's certificate.",
    ),
    Trouble.NOT_YET_VALID: fail(
        Trouble.NOT_YET_VALID.value,
        "El certificado del servidor todavía no es válido.",
        english="The certificate is not valid yet, or this host's clock is behind.",
        remedy="Corrija el reloj de esta máquina, o emita de nuevo el certificado.",
        english_remedy="Correct this machine's clock, or issue the certificate again.",
    ),
    Trouble.OTHER_NAME: fail(
        Trouble.OTHER_NAME.value,
        "El certificado es de otro nombre que el configurado.",
        english="The certificate has a different name than the address. The terminal shows its names.",
        remedy="Use en la dirección uno de los nombres del certificado, o emita uno con el nombre "
        "configurado.",
        english_remedy="Use one of the certificate's names in the address, or issue one with the "
        "configured name.",
    ),
    Trouble.UNKNOWN_AUTHORITY: fail(
        Trouble.UNKNOWN_AUTHORITY.value,
        "La autoridad que firmó el certificado no es de confianza.",
        english="No trusted authority signed the certificate. [Save "
        "it](docs/install.md#the-erps-certificate), or put your private authority's "
        "certificate into the folder `ERP_CA_FOLDER` (for the public address use "
        "`--origin-ca-file`, or let the proxy send its intermediate certificates). The "
        "terminal shows subject, issuer, validity and SHA-256 of the certificate, beside the "
        "trusted authorities. `same_name` is true if one of these has that name with another "
        "key, as after a change of authorities.",
        remedy="Guarde el certificado con `doctor --save-certificate`, compare su huella y póngalo en la "
        "carpeta de autoridades (ERP_CA_FOLDER), o ponga ahí el de la autoridad que lo firmó.",
        english_remedy="Save the certificate with `doctor --save-certificate`, compare its fingerprint "
        "and put it into the folder of authorities (ERP_CA_FOLDER), or put the issuing "
        "authority's there.",
    ),
    Trouble.NO_TLS: fail(
        Trouble.NO_TLS.value,
        "No se pudo acordar una conexión cifrada (TLS 1.2 o posterior).",
        english="The other side speaks plain http or an older TLS, or hangs up: the port of another service.",
        remedy="Revise si el puerto es el de https y active TLS 1.2 o posterior en el servidor.",
        english_remedy="Check that the port is that of https, and turn on TLS 1.2 or newer on the server.",
    ),
}
