"""Store sessions and failed logins so that a restarted process can continue with them."""
