"""Topics: their manifests, builds, bench programs, tests, and the revisions that they are built from."""
