"""Queries of the ERP's database."""

from erp_gateway.extensions import Query, QueryParameter

_BALANCES = """
    SELECT T0."CardCode" AS "code", T0."CardName" AS "name", T0."Balance" AS "balance"
    FROM "OCRD" T0
    WHERE T0."CardType" = 'C' AND T0."Balance" > :minimum
    ORDER BY T0."Balance" DESC
"""

CUSTOMER_BALANCES = Query(
    name="customer_balances",
    title="Saldos de clientes",
    sql={"hana": _BALANCES, "sqlite": _BALANCES},
    parameters=(QueryParameter(name="minimum", type="number"),),
    menu="/finanzas/saldos",
    max_rows=1000,
)
