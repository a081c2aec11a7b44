"""Causes of the checks of the ERP's database."""

from typing import Final

from erpdoctor.checks import (
    Group,
    fail,
    skipped,
    warn,
)

DATABASE: Final = Group("database", "docs/doctor.md#database")
OFF: Final = skipped(
    "not_configured", "ERPDB_ENGINE no está configurado.", english="`ERPDB_ENGINE` is not set."
)

NO_DRIVER: Final = fail(
    "database_driver_missing",
    "Falta el controlador de la base de datos (hdbcli).",
    english="`hdbcli` is not installed.",
    remedy=(
        "La imagen publicada no trae hdbcli, por la licencia de SAP: construya la suya con WITH_HANA=1, o "
        "instale erp-gateway con el extra hana."
    ),
    english_remedy="The published image has no hdbcli because of SAP's licence: build your own with "
    "WITH_HANA=1, or install erp-gateway with the extra hana.",
)

AWAY: Final = fail(
    "database_away",
    "No se pudo conectar con la base de datos.",
    english="No connection: wrong name or port, or the network.",
    remedy="Corrija ERPDB_SERVER y ERPDB_PORT (con sqlite, ERPDB_DATABASE), o abra el paso en la red.",
    english_remedy="Correct ERPDB_SERVER and ERPDB_PORT (with sqlite, ERPDB_DATABASE), or open the "
    "way in the network.",
)

PLAIN: Final = warn(
    "database_not_encrypted",
    "La conexión con la base de datos no está cifrada.",
    english="`ERPDB_ENCRYPT` is false, to another host.",
    remedy="Active TLS en la base de datos y quite ERPDB_ENCRYPT=false.",
    english_remedy="Turn on TLS in the database and remove ERPDB_ENCRYPT=false.",
)

REFUSED: Final = fail(
    "database_login_refused",
    "La base de datos rechaza al usuario o su contraseña, o el usuario está bloqueado.",
    english="User or password is wrong, or the user is locked. It is tried once.",
    remedy="Corrija ERPDB_USER y ERPDB_PASSWORD, o desbloquee al usuario.",
    english_remedy="Correct ERPDB_USER and ERPDB_PASSWORD, or unlock the user.",
)

NO_TLS: Final = fail(
    "database_tls_failed",
    "No se pudo acordar una conexión cifrada de confianza con la base de datos.",
    english="No TLS on that port, or a certificate that is not trusted or has another name.",
    remedy=(
        "Corrija ERPDB_CA_FILE o ERPDB_TLS_NAME, o active TLS en ese puerto. Si no puede tener TLS, "
        "ERPDB_ENCRYPT=false conecta sin cifrar: quien esté en esa red puede leer los datos y cambiarlos."
    ),
    english_remedy="Correct ERPDB_CA_FILE or ERPDB_TLS_NAME, or turn on TLS at that port. If you "
    "can't have TLS, ERPDB_ENCRYPT=false connects without: anyone in that network can "
    "read the data and change them.",
)

NOT_OPENED: Final = fail(
    "database_not_opened",
    "La base de datos no aceptó la conexión por otra razón.",
    english="The driver or the database refuses for another reason. `error` has its number.",
    remedy="Revise ERPDB_PORT y ERPDB_DATABASE, y si la base de datos está en marcha.",
    english_remedy="Check ERPDB_PORT and ERPDB_DATABASE, and that the database runs.",
)

NO_VERSION: Final = skipped(
    "database_version_untold",
    "El usuario no puede leer la versión en el catálogo.",
    english="The user can't read the version in the catalogue.",
)

NO_SCHEMA: Final = fail(
    "database_schema_unknown",
    "El esquema no existe en la base de datos.",
    english="There is no schema of that name.",
    remedy="Corrija ERPDB_SCHEMA: el nombre de la empresa, con sus mayúsculas.",
    english_remedy="Correct ERPDB_SCHEMA: the company's name, in its letter case.",
)

SCHEMA_FAILED: Final = fail(
    "database_schema_failed",
    "La base de datos no dejó elegir el esquema ni empezar una lectura.",
    english="The schema or the transaction was refused for another reason. `error` has its number.",
    remedy="Pruebe con el mismo usuario SET SCHEMA y SET TRANSACTION READ ONLY en la base de datos.",
    english_remedy="Try SET SCHEMA and SET TRANSACTION READ ONLY in the database as the same user.",
)

MAY_WRITE: Final = warn(
    "database_may_write",
    "El usuario de la base de datos puede escribir en el esquema de la empresa.",
    english="The user can write, change tables, or run procedures, which may.",
    remedy="Quite a ese usuario todo menos SELECT en ese esquema, o use en ERPDB_USER otro que solo lea.",
    english_remedy="Take everything but SELECT on that schema from the user, or name one in "
    "ERPDB_USER that only reads.",
)

NO_RIGHTS: Final = skipped(
    "database_rights_untold",
    "El catálogo no dice los derechos del usuario.",
    english="The catalogue does not show the rights, or lists none for this schema.",
)

QUERIES_FAIL: Final = fail(
    "queries_refused",
    "La base de datos no acepta consultas registradas: nombran lo que no tiene, o su SQL tiene un error.",
    english="The database refuses some: an unknown table or column, or an error in the SQL. The "
    "terminal shows each. `forbidden` counts those of `refused` that lack a right.",
    remedy="Corrija esas consultas: al lado está lo que la base de datos dice de cada una.",
    english_remedy="Correct these queries; what the database says of each stands beside it.",
)

QUERIES_FORBIDDEN: Final = fail(
    "queries_forbidden",
    "El usuario no puede leer alguna tabla de las consultas registradas.",
    english="It refuses some only because SELECT on what they read is missing.",
    remedy="Dé al usuario SELECT en el esquema de la empresa, o en cada tabla que leen esas consultas.",
    english_remedy="Grant the user SELECT on the company's schema, or on each table that these queries read.",
)
