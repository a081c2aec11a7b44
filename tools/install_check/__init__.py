"""The installation without containers, as docs/install.md has it, on a machine made for it."""
