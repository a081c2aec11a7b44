"""Initial settings of every company: accounts, tax, currencies, series, terms, lists."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

from erpsim.company.exchange import Fields, Value
from erpsim.company.rows.values import ZERO, normal
from erpsim.seeds.dice import Dice
from erpsim.seeds.scale import Scale

ACCOUNTS = {
    "cash": ("1.1.01.001", "Caja"),
    "bank": ("1.1.01.002", "Banco Estado cuenta corriente"),
    "checks": ("1.1.01.003", "Cheques en cartera"),
    "cards": ("1.1.01.004", "Tarjetas por cobrar"),
    "receivable": ("1.1.03.001", "Clientes nacionales"),
    "stock": ("1.1.05.001", "Existencias"),
    "tax_purchases": ("1.1.07.001", "IVA crédito fiscal"),
    "payable": ("2.1.01.001", "Proveedores nacionales"),
    "goods_received": ("2.1.02.001", "Mercaderías por facturar"),
    "tax_sales": ("2.1.04.001", "IVA débito fiscal"),
    "capital": ("3.1.01.001", "Capital"),
    "stock_adjustment": ("3.1.02.001", "Apertura y ajustes de existencias"),
    "sales": ("4.1.01.001", "Ventas"),
    "cost_of_sales": ("5.1.01.001", "Costo de ventas"),
    "price_difference": ("5.1.02.001", "Diferencias de precio"),
    "expenses": ("5.2.01.001", "Gastos generales"),
    "salaries": ("5.2.02.001", "Remuneraciones"),
    "rent": ("5.2.03.001", "Arriendos"),
}
"""Account code and name by role in the simulator's bookings."""
SALES_TAX, PURCHASE_TAX, SALES_EXEMPT, PURCHASE_EXEMPT = "IVA", "IVA_CRED", "IVA_EXE", "CRED_EXE"
TAX_PERCENT = 19
SERIES_OBJECTS = (
    23, 17, 15, 16, 13, 14, 203, 234000031, 540000006, 1470000113, 22, 20, 21, 234000032, 18, 19, 204, 59,
    60, 67, 1250000001, 24, 46, 30,
)  # fmt: skip
"""Object numbers with a numbering series of their own."""
FIRST_NUMBER = 100001
"""First document number of a series. It never equals a key, so that tests detect a mix-up."""
_RETURNS = 21
# Fields of series whose documents a tax-document service signs; one such add-on recognises a prefix that
# begins with `E`.
_ELECTRONIC: Fields = {"Prefix": "E", "IsElectronicCommEnabled": "tYES"}
# Code, name, decimals, and pesos per unit on the first day.
_CURRENCIES = (
    ("CLP", "Peso chileno", "cdWithoutDecimals", None),
    ("USD", "Dólar estadounidense", "cd2Digits", 880),
    ("EUR", "Euro", "cd2Digits", 960),
    ("UF", "Unidad de fomento", "cd4Digits", 36800),
)


def primary_series(object_code: int) -> int:
    """Return the default series of an object."""
    return 10 + SERIES_OBJECTS.index(object_code)


def settings_rows(scale: Scale) -> dict[str, list[Fields]]:
    """Return the rows of the company's settings by entity set."""
    return {
        "$AdminInfo": [_admin_info()],
        "$CompanyInfo": [
            {"key": 1, "LanguageCode": "ln_Spanish_La", "EnableTransactionNotification": "tYES"}
        ],
        "ChartOfAccounts": _accounts(),
        "VatGroups": _tax_groups(),
        "Currencies": [_currency(code, name, decimals) for code, name, decimals, _ in _CURRENCIES],
        "PaymentTermsTypes": _terms(),
        "PriceLists": _price_lists(),
        **_groups_and_banks(),
        **_dimensions_and_units(),
        "ShippingTypes": [
            {"Code": 1, "Name": "Camión propio"},
            {"Code": 2, "Name": "Retira cliente"},
        ],
        "Manufacturers": [{"Code": -1, "ManufacturerName": "- Sin fabricante -"}],
        "CustomsGroups": [{"Code": -1, "Name": "Exento"}],
        "Departments": [
            {"Code": code, "Name": name}
            for code, name in ((-2, "General"), (1, "Ventas"), (2, "Bodega"), (3, "Administración"))
        ],
        "Branches": [{"Code": -2, "Name": "Principal"}, {"Code": 1, "Name": "Casa matriz"}],
        "BusinessPlaces": [{"BPLID": 1, "BPLName": "Casa matriz", "Disabled": "tNO"}],
        "$Series": _series(electronic=scale.receipt_items > 0),
        "$Rates": _rates(scale),
        "$Counters": [],
    }


def _groups_and_banks() -> dict[str, list[Fields]]:
    return {
        "BusinessPartnerGroups": [
            {"Code": 100, "Name": "Clientes nacionales", "Type": "bbpgt_CustomerGroup"},
            {"Code": 101, "Name": "Proveedores nacionales", "Type": "bbpgt_VendorGroup"},
            {"Code": 102, "Name": "Clientes constructoras", "Type": "bbpgt_CustomerGroup"},
            {"Code": 103, "Name": "Proveedores extranjeros", "Type": "bbpgt_VendorGroup"},
        ],
        "Countries": [
            {"Code": code, "Name": name}
            for code, name in (
                ("AR", "Argentina"),
                ("CL", "Chile"),
                ("CN", "China"),
                ("PE", "Perú"),
                ("US", "EE.UU."),
            )
        ],
        "Banks": [
            {"BankCode": "012", "BankName": "Banco del Estado", "CountryCode": "CL", "AbsoluteEntry": 1},
            {"BankCode": "001", "BankName": "Banco de Chile", "CountryCode": "CL", "AbsoluteEntry": 2},
        ],
        "HouseBankAccounts": [
            {
                "AbsoluteEntry": 1,
                "BankCode": "012",
                "AccNo": "00012345678",
                "Country": "CL",
                "AccountName": "Cuenta corriente",
                "GLAccount": ACCOUNTS["bank"][0],
            }
        ],
    }


def _dimensions_and_units() -> dict[str, list[Fields]]:
    return {
        "Projects": [
            {"Code": "OBRA-01", "Name": "Edificio Los Aromos", "ValidFrom": "2024-01-01", "Active": "tYES"},
            {"Code": "OBRA-02", "Name": "Bodega Ñuble", "ValidFrom": "2024-06-01", "Active": "tYES"},
        ],
        "ProfitCenters": [
            {"CenterCode": code, "CenterName": name, "InWhichDimension": 1, "EffectiveFrom": "2024-01-01"}
            for code, name in (("ADM", "Administración"), ("BOD", "Bodega"), ("VTA", "Ventas"))
        ],
        "Dimensions": [
            {
                "DimensionCode": number,
                "DimensionName": f"Dimensión {number}",
                "IsActive": "tYES" if number == 1 else "tNO",
            }
            for number in range(1, 6)
        ],
        "UnitOfMeasurements": [
            {"AbsEntry": entry, "Code": code, "Name": name}
            for entry, code, name in (
                (-1, "Manual", "Manual"),
                (1, "UN", "Unidad"),
                (2, "CJ", "Caja"),
                (3, "KG", "Kilo"),
            )
        ],
        "UnitOfMeasurementGroups": [{"AbsEntry": -1, "Code": "Manual", "Name": "Manual", "BaseUoM": -1}],
    }


def _admin_info() -> Fields:
    accounts: dict[str, Value] = {role: code for role, (code, _) in ACCOUNTS.items()}
    return {
        "key": 1,
        "Code": 1,
        "Country": "CL",
        "Address": "Camino Melipilla 1234, Maipú",
        "FederalTaxID": "76543210-3",
        "eMail": "contacto@demo.example",
        "LocalCurrency": "CLP",
        "SystemCurrency": "CLP",
        "DefaultWarehouse": "01",
        "TotalsAccuracy": 0,
        "PriceAccuracy": 4,
        "AccuracyofQuantities": 3,
        "DecimalSeparator": ",",
        "ThousandsSeparator": ".",
        "ContinuousStockManagement": "tYES",
        "TaxDefinitionforVatitem": SALES_TAX,
        "TaxDefinitionforVatservice": SALES_TAX,
        "TaxGroupforPurchaseItem": PURCHASE_TAX,
        "TaxGroupforServicePurchase": PURCHASE_TAX,
        "$exemptSale": SALES_EXEMPT,
        "$exemptPurchase": PURCHASE_EXEMPT,
        "$accounts": accounts,
    }


def _accounts() -> list[Fields]:
    kinds = {"4": "at_Revenues", "5": "at_Expenses"}
    return [
        {
            "Code": code,
            "Name": name,
            "FormatCode": code.replace(".", ""),
            "ActiveAccount": "tYES",
            "AccountLevel": 4,
            "FatherAccountKey": code[:6],
            "AccountType": kinds.get(code[0], "at_Other"),
            "AcctCurrency": "CLP",
            "CashAccount": "tYES" if role in {"cash", "bank"} else "tNO",
            "ReconciledAccount": "tYES" if role in {"receivable", "payable"} else "tNO",
            "Balance": ZERO,
        }
        for role, (code, name) in ACCOUNTS.items()
    ]


def _tax_groups() -> list[Fields]:
    groups = (
        (SALES_TAX, "IVA débito 19%", "bovcOutputTax", TAX_PERCENT, "tax_sales"),
        (SALES_EXEMPT, "Exento ventas", "bovcOutputTax", 0, "tax_sales"),
        (PURCHASE_TAX, "IVA crédito 19%", "bovcInputTax", TAX_PERCENT, "tax_purchases"),
        (PURCHASE_EXEMPT, "Exento compras", "bovcInputTax", 0, "tax_purchases"),
    )
    return [
        {
            "Code": code,
            "Name": name,
            "Category": category,
            "TaxAccount": ACCOUNTS[role][0],
            "VatGroups_Lines": [{"Effectivefrom": "2003-10-01", "Rate": normal(percent)}],
        }
        for code, name, category, percent, role in groups
    ]


def _currency(code: str, name: str, decimals: str) -> Fields:
    return {
        "Code": code,
        "Name": name,
        "DocumentsCode": code,
        "InternationalDescription": name,
        "Decimals": decimals,
    }


def _terms() -> list[Fields]:
    return [
        {
            "GroupNumber": number,
            "PaymentTermsGroupName": name,
            "NumberOfAdditionalDays": days,
            "NumberOfAdditionalMonths": 0,
        }
        for number, name, days in (
            (-1, "Contado", 0),
            (1, "30 días", 30),
            (2, "60 días", 60),
            (3, "90 días", 90),
        )
    ]


def _price_lists() -> list[Fields]:
    names = ("Lista público", "Lista mayorista", "Lista constructoras", "Costo")
    factors = (Decimal(1), Decimal("0.92"), Decimal("0.88"), Decimal("0.6"))
    return [
        {
            "PriceListNo": number,
            "PriceListName": name,
            "BasePriceList": 1,
            "Factor": normal(factor),
            "Active": "tYES",
            "IsGrossPrice": "tNO",
            "DefaultPrimeCurrency": "CLP",
        }
        for number, (name, factor) in enumerate(zip(names, factors, strict=True), 1)
    ]


def _series(*, electronic: bool) -> list[Fields]:
    own = [
        _one_series(primary_series(code), code, "Primario", FIRST_NUMBER, default=True)
        | (_ELECTRONIC if electronic and code == _RETURNS else {})
        for code in SERIES_OBJECTS
    ]
    web = [
        _one_series(80 + offset, code, "Web", 900001, default=False)
        for offset, code in enumerate((17, 13, 21))
    ]
    return own + web


def _one_series(number: int, code: int, name: str, first: int, *, default: bool) -> Fields:
    return {
        "Series": number,
        "Document": str(code),
        "DocumentSubType": "--",
        "Name": name,
        "InitialNumber": first,
        "NextNumber": first,
        "PeriodIndicator": "Predet.",
        "GroupCode": "sg_Group1",
        "Locked": "tNO",
        "SeriesType": "stDocument",
        "$default": default,
    }


def _rates(scale: Scale) -> list[Fields]:
    """Return a rate for each day and currency: a slow, small random walk."""
    rows: list[Fields] = []
    for code, _, _, start in _CURRENCIES:
        if start is None:
            continue
        dice, hundredths = Dice(f"rate {code}"), start * 100
        for offset in range((scale.last_day - scale.first_day).days + 1):
            day = (scale.first_day + timedelta(days=offset)).isoformat()
            hundredths += dice.between(-60, 62)
            rows.append({"Currency": code, "Date": day, "Rate": normal(Decimal(hundredths) / 100)})
    return rows
