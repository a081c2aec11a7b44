"""Print a rendered document as PDF in a child process."""
