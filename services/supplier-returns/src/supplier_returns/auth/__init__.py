"""Sign in ERP users, each with an ERP session of their own, and limit failed attempts."""
