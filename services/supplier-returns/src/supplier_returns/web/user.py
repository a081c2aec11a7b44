"""User of the ERP."""

from attrs import frozen


@frozen
class ErpUser:
    """User of the ERP.

    Attributes:
        code: user code, as the ERP spells it.
        name: name of the user, or the code if the ERP has no name.
        is_superuser: whether the user is a superuser. None if the ERP does not show it.
    """

    code: str
    name: str
    is_superuser: bool | None = None
