"""Templates of the company's roles."""

from typing import Final

from erp_gateway.extensions import RoleTemplate

ROLES: Final = (
    RoleTemplate(
        name="Ventas",
        description="Ofertas, pedidos y entregas; ver facturas y socios",
        paths=(
            "/ventas/ofertas/*",
            "/ventas/pedidos/*",
            "/ventas/entregas/*",
            "/ventas/facturas",
            "/socios",
            "/reportes-html/ejecutar",
        ),
    ),
    RoleTemplate(
        name="Bodega",
        description="Entradas, entregas, traslados y devoluciones a proveedores",
        paths=(
            "/ventas/pedidos",
            "/ventas/entregas/*",
            "/compras/pedidos",
            "/compras/entradas/*",
            "/compras/devoluciones",
            "/inventario/*",
            "/socios",
        ),
    ),
    RoleTemplate(
        name="Compras",
        description="Solicitudes, ofertas y pedidos de compra; ver entradas y facturas",
        paths=(
            "/compras/solicitudes/*",
            "/compras/ofertas/*",
            "/compras/pedidos/*",
            "/compras/entradas",
            "/compras/facturas",
            "/socios",
        ),
    ),
    RoleTemplate(
        name="Finanzas",
        description="Facturas, notas de crédito, cobros y pagos",
        paths=(
            "/ventas/facturas/*",
            "/ventas/notas-credito/*",
            "/compras/facturas/*",
            "/compras/notas-credito/*",
            "/bancos/*",
            "/finanzas/asientos",
            "/socios",
            "/reportes-html/ejecutar",
        ),
    ),
)
"""In the order in which the form of permissions offers them."""
