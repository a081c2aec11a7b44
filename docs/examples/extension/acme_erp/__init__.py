"""The extension of Acme: one resource, one query, one report."""

from acme_erp import balances
from acme_erp.queries import CUSTOMER_BALANCES
from erp_gateway.extensions import Column, Extension, Resource, StrKey

EXTENSION = Extension(
    resources=(
        Resource(
            name="U_ACME_RUTAS",
            key=StrKey("Code"),
            read_menu="/rutas",
            write_menu=None,
            title="Rutas",
            columns=(
                Column(name="Code", title="Código", type="text", search="code"),
                Column(name="Name", title="Ruta", type="text", search="name"),
            ),
        ),
    ),
    queries=(CUSTOMER_BALANCES,),
    html_reports=(balances.REPORT,),
)
