"""Forward permitted requests for registered ERP resources to the Service Layer."""
