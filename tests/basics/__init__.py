"""What everything rests on: errors, numbers, the cache."""
