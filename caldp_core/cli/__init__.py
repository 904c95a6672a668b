"""The command line: `python -m caldp_core`.

It reads arguments and prints; it computes nothing.
"""
