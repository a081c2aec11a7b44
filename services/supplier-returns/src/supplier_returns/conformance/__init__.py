"""Ask the ERP about the behaviour that planning and executing returns relies on."""
