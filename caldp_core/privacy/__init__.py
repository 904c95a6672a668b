"""Policies: what is hidden from whom, as a privacy matrix E of ε's.

`context.py` has blocks and a sensitive set, `distance.py` metrics, `matrix.py` two symbols and any
table of ε's.
"""
