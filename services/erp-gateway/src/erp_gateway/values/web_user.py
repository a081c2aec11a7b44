"""The person behind a web user, as the ERP describes its employee."""

from attrs import frozen


@frozen(kw_only=True)
class WebUser:
    """An employee of the ERP who has a web user.

    Attributes:
        name: the name exactly as the ERP stores it (`U_WEB_USER`).
        employee_id: `EmployeeID` of the employee.
        first_name: given name, may be empty.
        last_name: family name, may be empty.
        email: may be empty.
    """

    name: str
    employee_id: int
    first_name: str
    last_name: str
    email: str

    @property
    def full_name(self) -> str:
        """First and last name with one blank between, without the empty ones."""
        return " ".join(part for part in (self.first_name, self.last_name) if part)
