# ruff: noqa: N818 - refusals are plain nouns
"""What the proxy's policy refuses by itself, before anything is sent to the ERP."""

from servicekit.errors import BadRequest, NotFound, ServiceError


class ResourceNotRegistered(NotFound):
    """The proxy has no resource of this name. Names are case-sensitive."""

    code = "resource_not_registered"
    detail = "El recurso no está registrado en este servicio."


class ActionNotRegistered(NotFound):
    """There is no such action of the record, or no such service action."""

    code = "action_not_registered"
    detail = "La acción no está registrada en este servicio."


class EtagUnsupported(BadRequest):
    """`If-Match` for a resource without entity tags, or for a record that does not exist yet."""

    code = "etag_unsupported"
    detail = "Este recurso no tiene etiquetas de entidad: la cabecera If-Match no tendría efecto."


class HeaderNotAllowed(BadRequest):
    """A `B1S-` header that is not allowed for this operation."""

    code = "header_not_allowed"
    detail = "La cabecera no está permitida en esta operación."


class HeaderBadValue(BadRequest):
    """A `B1S-` header has an impossible value."""

    code = "header_bad_value"
    detail = "El valor de la cabecera no es válido."


class RateLimited(ServiceError):
    """The user ran 120 service actions within a minute."""

    status = 429
    code = "rate_limited"
    detail = "Demasiadas consultas en un minuto. Espere un momento antes de repetir."


class FieldNotWritable(BadRequest):
    """The body has `AttachmentEntry` or an OData annotation, which no client can write. `errors` has the
    paths. See [References in bodies](docs/references.md).
    """

    code = "field_not_writable"
    detail = "El cuerpo contiene campos que no se pueden escribir."
