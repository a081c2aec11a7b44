"""Behaviour of the Apache server in front: sessions by cookie, routing, pings and HTML error pages."""
