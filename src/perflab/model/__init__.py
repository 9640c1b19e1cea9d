"""The nouns that every room shares: the protocol, paths, errors, and how a figure is written."""
