"""What stands between people's browsers and a service: its origin, seen from outside as a browser sees it."""
