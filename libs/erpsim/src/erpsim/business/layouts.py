"""Print layouts: parameters, printed data and paper. Values only."""

from __future__ import annotations

import enum

import attrs


class Category(enum.Enum):
    """Kinds of layouts with their value in the database, the members of `ReportLayoutCategoryEnum`."""

    CRYSTAL = "C"
    PLD = "P"


class Role(enum.Enum):
    """Purpose of a layout's parameter."""

    DOCUMENT = "document"
    """`DocEntry` of the document to print."""
    OBJECT = "object"
    """Number of the object type: 17 is an order."""
    SCHEMA = "schema"
    """The company's schema in the database."""
    LABEL = "label"
    """A heading or a line between parameters of the panel, without a value."""
    ITEM = "item"
    GROUP = "group"
    WAREHOUSE = "warehouse"
    DATE = "date"
    MINIMUM = "minimum"
    CARD = "card"
    NOTE = "note"


class Kind(enum.Enum):
    """Data that a layout prints."""

    DOCUMENT = "document"
    ITEMS = "items"
    STOCK = "stock"
    SALES = "sales"


class Paper(enum.Enum):
    """Paper sizes."""

    A4 = "A4"
    LETTER = "Letter"


@attrs.frozen(kw_only=True)
class LayoutParameter:
    """One parameter of a layout, as its designer declared it.

    Args:
        name: byte for byte; may hold a look-up for the panel: `Item@Select * from OITM`.
        role: its meaning for the simulator.
        type: `xsd:string`, `xsd:decimal` or `xsd:date`.
        description: text shown in the panel.
        needed: whether the layout prints nothing without it, regardless of the two flags below.
        optional_prompt, nullable: flags in its description; in the sample of SAP's guide headings are not
            optional, and filters that may be left out not nullable.
        ranged: whether it takes two ends.
        multiple: whether it takes several values.
        of_procedure: whether it belongs to the stored procedure below the layout.
        stored: current values that were saved with the layout.
    """

    name: str
    role: Role
    type: str = "xsd:string"
    description: str = ""
    needed: bool = False
    optional_prompt: bool = False
    nullable: bool = True
    ranged: bool = False
    multiple: bool = False
    of_procedure: bool = False
    stored: tuple[str, ...] = ()


@attrs.frozen(kw_only=True)
class Layout:
    """One layout.

    Args:
        code: `RDR20001`; begins with the type's code.
        name: for people.
        type_code: `RDR2` is an order with items, `RCRI` a report of the general catalogue.
        kind: what the layout prints.
        parameters: in the order in which the report gateway wants them.
        set_name: entity set of the documents it prints.
        category: only Crystal layouts can be printed by the report gateway.
        active: whether it may be used.
        default: whether the company prints its type with it.
        paper: size of its pages.
        menu, guid: place of a general report in the menu, as the gateway names it.
    """

    code: str
    name: str
    type_code: str
    kind: Kind
    parameters: tuple[LayoutParameter, ...] = ()
    set_name: str = ""
    category: Category = Category.CRYSTAL
    active: bool = True
    default: bool = False
    paper: Paper = Paper.A4
    menu: str = ""
    guid: str = ""
