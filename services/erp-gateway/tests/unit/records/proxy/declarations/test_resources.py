"""The default set against the ERP's metadata, as the simulator knows it."""

import pytest

from erp_gateway.records.proxy.declarations.registry import Registry
from erp_gateway.records.proxy.declarations.resource import CANCEL_BY_DOCUMENT, Resource
from erp_gateway.records.proxy.declarations.resources import DEFAULT_RESOURCES, DEFAULT_SERVICE_ACTIONS
from erp_gateway.records.proxy.declarations.secret_fields import SECRET_FIELDS
from erpclient.odata import CompositeKey, EntityKey, IntKey, StrKey
from erpsim.facts import EntitySetFacts, Facts, TypeFacts, load_packaged_facts
from erpsim.facts.document_kinds import KINDS, Ending, Kind

resources = pytest.mark.parametrize("resource", DEFAULT_RESOURCES, ids=lambda resource: resource.name)


def facts_of(resource: Resource) -> EntitySetFacts:
    return load_packaged_facts().entity_sets[resource.name]


def parts_of(key: EntityKey) -> tuple[object, ...]:
    return key.parts if isinstance(key, CompositeKey) else (key,)


def test_the_default_set_passes_the_checks_at_start() -> None:
    registry = Registry(DEFAULT_RESOURCES, DEFAULT_SERVICE_ACTIONS)
    assert len(registry.resources) == len(DEFAULT_RESOURCES)


@resources
def test_the_declared_key_matches_the_metadata(resource: Resource) -> None:
    declared = [
        (part.name, type(part)) for part in parts_of(resource.key) if isinstance(part, IntKey | StrKey)
    ]
    real = [
        (part.name, IntKey if part.type_name == "Edm.Int32" else StrKey) for part in facts_of(resource).key
    ]
    assert declared == real


@resources
def test_entity_tags_are_declared_as_in_the_metadata(resource: Resource) -> None:
    assert resource.tagged == facts_of(resource).tagged


@resources
def test_files_are_offered_exactly_where_the_metadata_has_their_entry(resource: Resource) -> None:
    has_entry = "AttachmentEntry" in facts_of(resource).type.properties
    assert resource.attachments == (has_entry and "PATCH" in resource.methods)


@resources
def test_collections_are_replaced_exactly_where_a_patch_can_carry_some(resource: Resource) -> None:
    has_collections = any(each.collection for each in facts_of(resource).type.properties.values())
    assert resource.replaces_collections == (has_collections and "PATCH" in resource.methods)


@resources
def test_hidden_passwords_match_the_metadata(resource: Resource) -> None:
    """Of the records themselves, of what lies inside them, and of what can be expanded from them."""
    facts = load_packaged_facts()
    entity_set = facts_of(resource)
    expanded = [facts.entity_sets[entity_set.type.navigation[name].target_set] for name in resource.expand]
    found = {
        name
        for each in (entity_set, *expanded)
        for name in properties_within(facts, each.type) & SECRET_FIELDS
    }
    assert resource.known_passwords is not None
    assert resource.known_passwords.name == resource.name
    assert resource.known_passwords.expand == resource.expand
    assert set(resource.known_passwords.names) == found


def properties_within(facts: Facts, type_facts: TypeFacts) -> set[str]:
    """Return the names of a type's properties and of all complex values inside."""
    names: set[str] = set()
    waiting, seen = [type_facts], {type_facts.name}
    while waiting:
        for each in waiting.pop().properties.values():
            names.add(each.name)
            if each.type_name in facts.types and each.type_name not in seen:
                seen.add(each.type_name)
                waiting.append(facts.types[each.type_name])
    return names


@resources
def test_declared_actions_exist_in_the_metadata(resource: Resource) -> None:
    assert resource.actions <= facts_of(resource).type.actions


@resources
def test_expanded_resources_are_catalogues_readable_in_any_session(resource: Resource) -> None:
    by_name = {each.name: each for each in DEFAULT_RESOURCES}
    for name in resource.expand:
        target = by_name[facts_of(resource).type.navigation[name].target_set]
        assert target.read_menu is None


@resources
def test_writing_never_needs_less_than_reading(resource: Resource) -> None:
    if resource.writable:
        assert resource.write_menu is not None
        assert resource.read_menu is None or resource.write_menu == f"{resource.read_menu}/editar"


def test_actions_end_a_record_as_its_kind_ends() -> None:
    declared = {each.name: each.actions for each in DEFAULT_RESOURCES if each.actions}
    unposted = {"Cancel", "Close", "Reopen"}
    goods = {"CreateCancellationDocument", "Close", "Reopen"}
    invoiced = {"CreateCancellationDocument"}
    payments = ("IncomingPayments", "VendorPayments", "JournalEntries", "StockTransfers")
    offers = ("Quotations", "Orders", "ReturnRequest", "GoodsReturnRequest")
    requests = ("PurchaseRequests", "PurchaseQuotations", "PurchaseOrders")
    deliveries = ("DeliveryNotes", "Returns", "PurchaseDeliveryNotes", "PurchaseReturns")
    invoices = ("Invoices", "CreditNotes", "DownPayments")
    received = ("PurchaseInvoices", "PurchaseCreditNotes", "PurchaseDownPayments")
    assert declared == {
        **{name: {"Cancel"} for name in payments},
        **dict.fromkeys((*offers, *requests), unposted),
        **dict.fromkeys(deliveries, goods),
        **dict.fromkeys((*invoices, *received), invoiced),
        "InventoryTransferRequests": {"Close"},
    }


@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.set_name)
def test_only_documents_that_post_are_cancelled_by_a_document(kind: Kind) -> None:
    by_name = {each.name: each for each in DEFAULT_RESOURCES}
    by_document = kind.ending is Ending.BY_DOCUMENT
    assert (CANCEL_BY_DOCUMENT in by_name[kind.set_name].actions) is by_document
    assert ("Cancel" in by_name[kind.set_name].actions) is (kind.ending is Ending.DIRECT)


def test_lookup_catalogues_of_the_contract_are_readable_by_any_session() -> None:
    read_menus = {each.name: each.read_menu for each in DEFAULT_RESOURCES}
    assert read_menus["Items"] is None
    assert read_menus["Warehouses"] is None


def test_service_actions_exist_in_the_metadata_and_return_something() -> None:
    operations = load_packaged_facts().operations
    assert all(operations[action.name].returns for action in DEFAULT_SERVICE_ACTIONS)


def test_service_actions_declare_the_parameters_of_the_metadata() -> None:
    facts = load_packaged_facts()
    for action in DEFAULT_SERVICE_ACTIONS:
        paths = []
        for name, type_name in facts.operations[action.name].parameters.items():
            members = facts.types[type_name].properties if type_name in facts.types else None
            paths += [name] if members is None else [f"{name}.{member}" for member in members]
        assert action.parameters == tuple(paths), action.name


def test_every_password_property_of_the_metadata_is_among_the_secret_fields() -> None:
    found = {
        name
        for type_facts in load_packaged_facts().types.values()
        for name in type_facts.properties
        if "password" in name.lower() and not name.startswith("LastPassword")
    }
    assert found
    assert found <= SECRET_FIELDS
