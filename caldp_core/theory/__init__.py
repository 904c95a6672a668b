"""Theory before the first report: exact variances, expected errors, bounds, plans."""
