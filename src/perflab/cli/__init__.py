"""The command line, the tuning console, the tests' runner and the reproduction that they share."""
