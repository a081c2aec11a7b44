# ruff: noqa: E501 - one object type a line
"""Object types of the ERP: their numbers, the entity sets that hold them, and their names in enumerations.

Sources: `BoObjectTypes` and the other enumerations of `$metadata` (Service Layer 10.0), and
`ReferencedObjectTypeEnum` of the SDK help. Unlisted numbers and names count as unregistered.
"""

import re
from decimal import Decimal
from typing import Final

NO_TYPE: Final = -1
"""The ERP's number for "no object"."""

_TYPES: Final[dict[int, tuple[str, str]]] = {
    13: ("Invoices", "oinvoices it_invoice ttarinvoice bodt_invoice edt_invoice dc_arinvoice pmdt_arinvoice ldtarinvoiceslink itarinvoice rot_salesinvoice"),
    14: ("CreditNotes", "ocreditnotes it_creditnote ttarcreditnote bodt_creditnote edt_creditmemo pmdt_arcreditmemo rot_salescreditnote ttarcreditnote"),
    15: ("DeliveryNotes", "odeliverynotes it_taxinvoice ttdelivery bodt_deliverynote edt_delivery dc_delivery pmdt_delivery ldtdeliverieslink rot_deliverynotes"),
    16: ("Returns", "oreturns it_return ttreturn bodt_return edt_return pmdt_return rot_return"),
    17: ("Orders", "oorders bodt_order edt_order pmdt_salesorder ldtsalesorderslink rot_salesorder"),
    18: ("PurchaseInvoices", "opurchaseinvoices it_purchaseinvoice ttapinvoice bodt_purchaseinvoice edt_ap_invoice aspurchaseinvoice pmdt_apinvoice rot_purchaseinvoice"),
    19: ("PurchaseCreditNotes", "opurchasecreditnotes it_purchasecreditnote ttapcreditnote bodt_purchasecreditnote edt_ap_creditmemo pmdt_apcreditmemo rot_purchasecreditnote"),
    20: ("PurchaseDeliveryNotes", "opurchasedeliverynotes purchasedeliverynotes it_purchasedeliverynote ttpurchasedeliverynote bodt_purchasedeliverynote edt_goodsreceipt asgoodsreceiptpo pmdt_goodsreceiptpo rot_goodsreceiptpo"),
    21: ("PurchaseReturns", "opurchasereturns it_purchasereturn ttpurchasereturn bodt_purchasereturn edt_goodsreturn dc_goodsreturn pmdt_goodsreturn rot_goodsreturn"),
    22: ("PurchaseOrders", "opurchaseorders bodt_purchaseorder edt_purchaseorder pmdt_purchaseorder rot_purchaseorder"),
    23: ("Quotations", "oquotations bodt_quotation edt_quotation pmdt_salesquotation ldtsalesquotationslink rot_salesquotation"),
    24: ("IncomingPayments", "oincomingpayments it_receipt ttreceipt bopot_incomingpayments rot_incomingpayments"),
    25: ("Deposits", "it_deposit ttdeposit"),
    30: ("JournalEntries", "ojournalentries it_journalentry ttjournalentry pmdt_manualjournalentry rot_journalentry"),
    33: ("Activities", "ocontacts"),
    46: ("VendorPayments", "ovendorpayments it_paymentadvice ttvendorpayment bopot_outgoingpayments rot_outgoingpayments"),
    57: ("ChecksforPayment", "ochecksforpayment it_chequesforpayment ttchequesforpayment rot_checksforpayment"),
    59: ("InventoryGenEntries", "oinventorygenentry inventorygeneralentry it_generalreceipttostock ttgeneralreceipttostock pmdt_goodsreceipt rot_goodsreceipt"),
    60: ("InventoryGenExits", "oinventorygenexit it_generalreleasefromstock ttgeneralreleasefromstock pmdt_goodsissue rot_goodsissue"),
    67: ("StockTransfers", "ostocktransfer warehousetransfers it_transferbetweenwarehouses tttransferbetweenwarehouses edt_stocktransfer dc_inventorytransfer rot_inventorytransfer"),
    69: ("LandedCosts", "ttlandedcosts aslandedcosts rot_landedcosts"),
    97: ("SalesOpportunities", "osalesopportunities ldtsalesopportunitieslink"),
    112: ("Drafts", "odrafts"),
    140: ("PaymentDrafts", "opaymentsdrafts"),
    156: ("PickLists", "opicklists"),
    162: ("MaterialRevaluation", "omaterialrevaluation ttinventoryvaluation rot_materialrevaluation"),
    163: ("CorrectionPurchaseInvoice", "ocorrectionpurchaseinvoice it_apcorrectioninvoice ttapcorrectioninvoice bodt_correctionapinvoice edt_ap_correctioninvoice pmdt_apcorrectioninvoice rot_correctionpurchaseinvoice"),
    164: ("CorrectionPurchaseInvoiceReversal", "ocorrectionpurchaseinvoicereversal ttapcorrectioninvoicereversal pmdt_apcorrectioninvoicereversal"),
    165: ("CorrectionInvoice", "ocorrectioninvoice it_arcorrectioninvoice ttarcorrectioninvoice bodt_correctionarinvoice edt_ar_correctioninvoice pmdt_arcorrectioninvoice rot_correctionsalesinvoice"),
    166: ("CorrectionInvoiceReversal", "ocorrectioninvoicereversal ttarcorrectioninvoicereversal pmdt_arcorrectioninvoicereversal"),
    190: ("ServiceContracts", "oservicecontracts"),
    191: ("ServiceCalls", "oservicecalls pmdt_servicecall"),
    202: ("ProductionOrders", "oproductionorders ttproductionorder rot_productionorder"),
    203: ("DownPayments", "odownpayments it_downpayment ttdownpayment pmdt_ardownpaymentinvoice itardownpaymentinvoice rot_downpaymentincoming"),
    204: ("PurchaseDownPayments", "opurchasedownpayments it_purchasedownpayment ttpurchasedownpayment pmdt_apdownpaymentinvoice rot_downpaymentoutgoing"),
    1_179: ("StockTransferDrafts", "ostocktransferdraft"),
    234_000_031: ("ReturnRequest", "oreturnrequest rot_returnrequest"),
    234_000_032: ("GoodsReturnRequest", "ogoodsreturnrequest rot_goodsreturnrequest"),
    540_000_006: ("PurchaseQuotations", "opurchasequotations bodt_purchasequtation edt_purchasequotation pmdt_purchasequotation rot_purchasequotation"),
    1_250_000_001: ("InventoryTransferRequests", "oinventorytransferrequest inventorytransferrequest rot_inventorytransferrequest"),
    1_250_000_025: ("BlanketAgreements", ""),
    1_470_000_113: ("PurchaseRequests", "opurchaserequest rot_purchaserequest"),
}  # fmt: skip

ENTITY_SETS: Final = {number: name for number, (name, _) in _TYPES.items()}
"""Entity set by object type."""

MASTER_DATA: Final = frozenset({1, 2, 3, 4, 5, 6, 8, 10, 37, 40, 43, 49, 52, 53, 64, 125, 200, 201, 247})
"""Object types whose records a body may always name: accounts, partners, banks, items, taxes, price lists,
item properties, groups of partners, currencies, payment terms, manufacturers, shipping types, groups of
items, sellers, warehouses, additional expenses, territories, industries and branches."""

_NUMBERS: Final = {
    **{name: number for number, (_, names) in _TYPES.items() for name in names.split()},
    **dict.fromkeys(
        [
            "default",
            "it_alltransactions",
            "ttalltransactions",
            "bodt_minusone",
            "asdefault",
            "ldtemptylink",
            "rot_externaldocument",
        ],
        NO_TYPE,
    ),
}
_WHOLE: Final = re.compile(r"[+-]?[0-9]{1,19}(\.0{0,19})?")
"""A whole number as text. A longer one is no object type and no key of the ERP (`Edm.Int32`)."""


def read_object_type(value: object) -> int | None:
    """Return the number of an object type, sent as a number, a text or the name of an enumeration's member.

    Returns:
        None for what is none of these.
    """
    number = read_whole(value)
    return _NUMBERS.get(value.strip().casefold()) if number is None and isinstance(value, str) else number


def read_whole(value: object) -> int | None:
    """Return a whole number that was sent as a number or a text; None for anything else."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, Decimal):
        return int(value) if value.is_finite() and abs(value) < 10**19 and value == int(value) else None
    if isinstance(value, str) and _WHOLE.fullmatch(value.strip()):
        return int(value.strip().partition(".")[0])
    return None
