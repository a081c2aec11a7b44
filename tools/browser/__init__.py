"""The console in a real browser, for its tests and its screenshots."""
