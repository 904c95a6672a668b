"""One suite that every registered family passes in every kind of context."""
