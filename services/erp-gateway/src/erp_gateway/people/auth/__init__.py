"""Sign in web users against the ERP's employees and keep their sessions."""
