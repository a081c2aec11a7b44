# ruff: noqa: N818 - refusals are plain nouns
"""What the proxy's policy refuses by itself, before anything is sent to the ERP."""

from servicekit.errors import BadRequest, NotFound, ServiceError


class ResourceNotRegistered(NotFound):
    """The name is no registered resource; whether the ERP knows it is not told."""

    code = "resource_not_registered"
    detail = "El recurso no está registrado en este servicio."


class ActionNotRegistered(NotFound):
    """The name is no registered action of the record, or no registered service action."""

    code = "action_not_registered"
    detail = "La acción no está registrada en este servicio."


class EtagUnsupported(BadRequest):
    """`If-Match` where it would protect nothing: no entity tags there, or no record yet."""

    code = "etag_unsupported"
    detail = "Este recurso no tiene etiquetas de entidad: la cabecera If-Match no tendría efecto."


class HeaderNotAllowed(BadRequest):
    """A `B1S-` header that may not be sent with this operation."""

    code = "header_not_allowed"
    detail = "La cabecera no está permitida en esta operación."


class HeaderBadValue(BadRequest):
    """A `B1S-` header that is allowed here, with a value it cannot have."""

    code = "header_bad_value"
    detail = "El valor de la cabecera no es válido."


class RateLimited(ServiceError):
    """The person has run as many service actions as a minute admits."""

    status = 429
    code = "rate_limited"
    detail = "Demasiadas consultas en un minuto. Espere un momento antes de repetir."


class FieldNotWritable(BadRequest):
    """A body with fields that no client may write; `errors` names them."""

    code = "field_not_writable"
    detail = "El cuerpo contiene campos que no se pueden escribir."
