"""From a tally to shares: unbiased estimates, what can be made of them, and intervals.

Room: estimation.
"""
