"""Run long exports in the background and keep their files for a while."""
