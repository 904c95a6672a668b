"""Checks between looking at a file and counting it: each says one sentence, and asks.

A check never changes a number where two readings are possible: it offers the other reading.
"""
