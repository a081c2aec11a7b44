"""Read the whole configuration as one value, or report every error in it. Settings import no feature."""
