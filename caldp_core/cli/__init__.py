"""The command line: `python -m caldp_core`.

Room: cli. It reads arguments and prints; it reckons nothing.
"""
