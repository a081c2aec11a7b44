"""Simulated SAP HANA that SAP's own driver can connect to.

The wire facts come from the public clients SAP/go-hdb and SAP/node-hdb (both Apache-2.0) and from watching
what ``hdbcli`` 2.30 sends to and accepts from a server; nothing of the driver was taken apart.

A statement goes through three rooms: ``parsing`` reads HANA's grammar, ``translation`` writes it out for
DuckDB with HANA's types, ``tables`` runs it on the company's rows. What one of them does not know it refuses,
with HANA's own number or as not simulated; BEHAVIOUR.md lists what differs from a real HANA.

Never run the driver in the server's process: ``hdbcli`` holds Python's global lock while it reads LOB data,
and a server in the same process could never answer.
"""
