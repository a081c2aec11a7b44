"""Declare which resources and service actions of the ERP clients may use."""
