"""The command line, the tests' runner and the reproduction that they share."""
