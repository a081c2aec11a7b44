"""A user of the ERP."""

from attrs import frozen


@frozen
class ErpUser:
    """A user of the ERP.

    Attributes:
        code: The ERP's own spelling of the user's code.
        name: The user's name, or the code if the ERP does not tell the name.
        is_superuser: Whether the ERP calls the user a superuser; None if it does not tell.
    """

    code: str
    name: str
    is_superuser: bool | None = None
