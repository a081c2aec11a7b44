"""In: a connection of SAP's own driver: logging in, preparing, fetching, cancelling.
Out: what a real SAP HANA sends, rows of the simulated company included.

The wire facts come from the public clients SAP/go-hdb and SAP/node-hdb (both Apache-2.0) and from watching
what ``hdbcli`` 2.30
sends to and accepts from a server; nothing of the driver was taken apart. SQL is executed by SQLite on the
simulated
company's tables, so HANA's own dialect is only served as far as SQLite and a few added functions go.

Run it in a process of its own: ``hdbcli`` holds Python's global lock while it reads LOB data, and a server in
the same process
could never answer.
"""
