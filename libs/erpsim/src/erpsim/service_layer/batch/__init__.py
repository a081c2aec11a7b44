"""Run a `$batch`; a change set succeeds or fails as a whole."""
