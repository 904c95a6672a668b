"""How fast caldp is: `python -m benchmarks`. See README.md in this folder.

Nothing here is imported by the package, and no test looks at the clock.
"""
