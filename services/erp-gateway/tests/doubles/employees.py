"""Employees and web users, as the ERP describes them."""

from erp_gateway.people.auth.employee_choice import Employee
from erp_gateway.values.web_user import WebUser
from servicekit.config import Secret

PASSWORD = "planted-password"


def make_user(name: str = "ana", number: int = 7) -> WebUser:
    """Return a web user of this name."""
    return WebUser(
        name=name,
        employee_id=number,
        first_name=name.title(),
        last_name="Rojas",
        email=f"{name}@example.com",
    )


def make_employee(
    name: str = "ana", number: int = 7, *, password: str = PASSWORD, active: bool = True
) -> Employee:
    """Return the employee with this web user."""
    return Employee(user=make_user(name, number), stored_password=Secret(password), active=active)
