"""Audits, exact, by blocks and by samples, and what they must find."""
