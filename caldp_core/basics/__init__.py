"""The ground floor: array types, limits, errors, numerals and small array helpers.

Room: basics. Imports nothing of ours but itself.
"""
