"""User of the ERP."""

from attrs import frozen


@frozen
class ErpUser:
    """User of the ERP.

    Attributes:
        code: User code, as the ERP spells it.
        name: Name of the user, or the code if the ERP has no name.
        is_superuser: Whether the user is a superuser. None if the ERP does not show it.
    """

    code: str
    name: str
    is_superuser: bool | None = None
