"""Refusals of the flow."""

from servicekit.errors import NotFound


class NoFlow(NotFound):
    """Records of this resource have no documents before or after them. Documents and payments have."""

    code = "no_flow"
    detail = "Los registros de este recurso no tienen documentos anteriores ni siguientes."
