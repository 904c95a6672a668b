"""Charts of curves, and the one place that shows them."""
