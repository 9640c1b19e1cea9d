"""Statistics of comparisons: pure functions of numbers, without files and processes."""
