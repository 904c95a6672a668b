"""Array types, limits, errors, numerals, powers of e, and small helpers for arrays and shares.

Imports nothing of ours but itself.
"""
