"""Read and write plannings as records of `LIB_ODEV`."""
