"""The tuning console: a form on the left, what is under way and what was found on the right."""
