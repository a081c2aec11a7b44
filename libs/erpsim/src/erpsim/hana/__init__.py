"""Simulated SAP HANA that accepts SAP's own driver.

The wire facts come from the public clients SAP/go-hdb and SAP/node-hdb (both Apache-2.0) and from observing
the traffic of ``hdbcli`` 2.30. Nothing of the driver was disassembled.

A statement passes three packages: ``parsing`` reads HANA's grammar, ``translation`` writes DuckDB's SQL with
HANA's types, ``tables`` runs it on the company's rows. Unsupported constructs are refused with HANA's own
number or as not simulated. BEHAVIOUR.md lists the differences from a real HANA.

Never run the driver in the server's process: ``hdbcli`` holds Python's global lock while it reads LOB data,
so a server in the same process could never answer.
"""
