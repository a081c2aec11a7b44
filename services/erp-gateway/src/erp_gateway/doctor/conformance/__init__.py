"""Questions of the gateway for `conformance`: does the ERP behave as the gateway expects."""
