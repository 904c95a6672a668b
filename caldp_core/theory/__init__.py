"""What can be said before anybody is asked: exact variances, expected errors, bounds, plans."""
