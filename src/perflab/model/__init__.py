"""Shared types: the protocol, paths, errors, and formatted figures."""
