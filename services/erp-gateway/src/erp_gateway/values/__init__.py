"""Value types that several rooms share."""
