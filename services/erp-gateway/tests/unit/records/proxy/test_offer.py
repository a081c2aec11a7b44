"""What a caller may use: by permission, with everything that a page needs to show it."""

import pytest

from erp_gateway.records.proxy.declarations.columns import Choice, Column
from erp_gateway.records.proxy.declarations.registry import Registry
from erp_gateway.records.proxy.declarations.resource import READ_WRITE, Resource
from erp_gateway.records.proxy.offer import KeyPart, OfferedResource, offer
from erpclient.odata import CompositeKey, DateKey, IntKey, StrKey

STATUS = Column(
    name="DocumentStatus",
    title="Estado",
    type="choice",
    choices=(Choice(value="bost_Open", title="Abierto"),),
)
ORDERS = Resource(
    name="Orders",
    key=IntKey("DocEntry"),
    read_menu="/ventas/pedidos",
    write_menu="/ventas/pedidos/editar",
    methods=READ_WRITE,
    actions=frozenset({"Close", "Cancel"}),
    expand=frozenset({"SalesPerson", "PaymentTermsType"}),
    tagged=True,
    replaces_collections=True,
    approvable=True,
    printed=True,
    title="Pedidos de venta",
    singular="Pedido de venta",
    columns=(STATUS,),
)
RATES = Resource(
    name="Rates",
    key=CompositeKey((StrKey("Currency"), DateKey("RateDate"))),
    read_menu=None,
    write_menu=None,
)
REGISTRY = Registry([ORDERS, RATES], ["SeriesService_GetDocumentSeries"])


def offered(*menus: str, prints: bool = True) -> dict[str, OfferedResource]:
    return {each.name: each for each in offer(REGISTRY, lambda menu: menu in menus, prints=prints).items}


def test_a_caller_with_all_rights_sees_the_whole_declaration() -> None:
    assert offered("/ventas/pedidos", "/ventas/pedidos/editar")["Orders"] == OfferedResource(
        name="Orders",
        title="Pedidos de venta",
        singular="Pedido de venta",
        area="ventas",
        path="/api/sl/Orders",
        methods=("GET", "POST", "PATCH"),
        key=(KeyPart(name="DocEntry", type="integer"),),
        actions=("Cancel", "Close"),
        expand=("PaymentTermsType", "SalesPerson"),
        etag=True,
        replaces_collections=True,
        approvable=True,
        attachments=False,
        screen="/ventas/pedidos",
        columns=(STATUS,),
    )


@pytest.mark.parametrize(
    ("menus", "methods", "actions"),
    [
        (["/ventas/pedidos"], ("GET",), ()),
        (["/ventas/pedidos/editar"], ("POST", "PATCH"), ("Cancel", "Close")),
    ],
)
def test_methods_and_actions_without_permission_are_not_listed(
    menus: list[str], methods: tuple[str, ...], actions: tuple[str, ...]
) -> None:
    orders = offered(*menus)["Orders"]
    assert (orders.methods, orders.actions) == (methods, actions)


def test_the_print_screen_requires_read_rights_and_a_printer() -> None:
    assert offered("/ventas/pedidos")["Orders"].screen == "/ventas/pedidos"
    assert offered("/ventas/pedidos/editar")["Orders"].screen is None
    assert offered("/ventas/pedidos", prints=False)["Orders"].screen is None
    assert offered()["Rates"].screen is None


def test_an_unusable_resource_is_not_listed() -> None:
    assert list(offered()) == ["Rates"]


def test_a_composite_key_names_its_parts_in_order_and_their_types() -> None:
    assert offered()["Rates"].key == (
        KeyPart(name="Currency", type="text"),
        KeyPart(name="RateDate", type="date"),
    )


def test_a_method_missing_from_the_resource_is_not_listed() -> None:
    assert offered()["Rates"].methods == ("GET",)


def test_service_actions_are_for_every_session() -> None:
    assert offer(REGISTRY, lambda _: False, prints=True).service_actions == (
        "SeriesService_GetDocumentSeries",
    )
