"""Read the whole configuration as one value, or report every fault in it; settings import no feature."""
