"""Statistics of comparison. They know numbers, and neither files nor processes."""
