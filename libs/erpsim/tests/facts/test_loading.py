"""The packaged facts."""

from __future__ import annotations

from erpsim.facts import Facts
from erpsim.facts.derive import TAGGED_SETS


def test_every_entity_set_used_by_clients_exists(facts: Facts) -> None:
    needed = (
        "Items Warehouses IncomingPayments VendorPayments JournalEntries BusinessPartners Orders Quotations "
        "DeliveryNotes Invoices CreditNotes PurchaseOrders PurchaseDeliveryNotes PurchaseReturns "
        "PurchaseInvoices PurchaseCreditNotes GoodsReturnRequest Returns Drafts InventoryGenEntries "
        "InventoryGenExits StockTransfers ChartOfAccounts ItemGroups PriceLists PaymentTermsTypes "
        "SalesPersons Currencies VatGroups Projects ProfitCenters Activities UnitOfMeasurements "
        "BusinessPartnerGroups Banks Countries HouseBankAccounts EmployeesInfo Users SQLQueries "
        "UserTablesMD UserFieldsMD UserObjectsMD UserKeysMD"
    )
    assert set(needed.split()) <= set(facts.entity_sets)


def test_names_types_keys_and_defaults_are_the_real_ones(facts: Facts) -> None:
    order = facts.entity_sets["Orders"]
    assert order.type.key == ("DocEntry",)
    assert order.type.properties["DocTotal"].type_name == "Edm.Double"
    assert order.type.properties["DocDate"].type_name == "Edm.DateTime"
    assert order.type.properties["DocTime"].type_name == "Edm.Time"
    assert order.type.properties["DocumentLines"].collection
    assert order.type.properties["DocEntry"].writable is False
    assert order.type.properties["DocEntry"].nullable is False
    assert order.type.properties["SalesPersonCode"].column == "SlpCode"
    assert order.type.properties["ReqType"].default == "12"
    assert "DocStatus" not in order.type.properties
    assert order.type.actions == {"Close", "Cancel", "Reopen", "CreateCancellationDocument"}
    assert order.type.navigation["BusinessPartner"].join == (("CardCode", "CardCode"),)
    assert facts.entity_sets["JournalEntries"].type.key == ("JdtNum",)
    assert facts.entity_sets["UserFieldsMD"].type.key == ("TableName", "FieldID")
    assert facts.entity_sets["IncomingPayments"].type.actions >= {"Cancel", "CancelbyCurrentSystemDate"}
    assert facts.enums["BoYesNoEnum"].members == {"tNO": "N", "tYES": "Y"}
    assert facts.enums["BoObjectTypes"].names["21"] == "oPurchaseReturns"
    assert "OPDN" in facts.types["Document"].tables


def test_tags_and_versions_are_added_as_in_newer_builds(facts: Facts) -> None:
    tagged = {name for name, each in facts.entity_sets.items() if each.tagged}
    assert tagged == TAGGED_SETS | {"SQLQueries"}
    assert len(TAGGED_SETS) == 28
    with_version = {name for name, each in facts.entity_sets.items() if "DataVersion" in each.type.properties}
    assert with_version == TAGGED_SETS


def test_the_demos_user_fields_replace_the_exports_own(facts: Facts) -> None:
    fields = {
        (known.name, name)
        for known in facts.types.values()
        for name, prop in known.properties.items()
        if prop.user_field
    }
    assert ("EmployeeInfo", "U_WEB_USER") in fields
    assert ("EmployeeInfo", "U_WEB_PASS") in fields
    assert {name for _, name in fields} == {
        "U_WEB_USER",
        "U_WEB_PASS",
        "U_TEMPORADA",
        "U_GIRO",
        "U_CANAL",
        "U_NOTA_BODEGA",
    }


def test_every_property_type_is_defined(facts: Facts) -> None:
    for known in facts.types.values():
        for prop in known.properties.values():
            assert prop.primitive or prop.type_name in facts.types or prop.type_name in facts.enums, prop


def test_functions_of_v2_also_accept_get(facts: Facts) -> None:
    functions = {name for name, each in facts.operations.items() if each.function}
    assert "CompanyService_GetCompanyInfo" in functions
    assert "SBOBobService_GetCurrencyRate" in functions
    assert "SeriesService_GetDocumentSeries" not in functions
