"""Queries that the ERP keeps (`SQLQueries`) and the Service Layer runs: declared, installed, run."""
