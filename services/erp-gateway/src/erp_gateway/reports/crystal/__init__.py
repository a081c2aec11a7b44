"""Export registered print layouts as PDF through SAP's report gateway."""
