"""Charts, and the report that holds them."""
