"""Read the settings of `erpsim serve`, open its ports and create its certificate."""
