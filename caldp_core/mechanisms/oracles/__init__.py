"""Frequency oracles: one family a file, each runs in every context.

`../base.py` says what a family promises, `../contextual.py` runs it.
"""
