"""Channels held against what they promise, and what an adversary can do.

Room: audit. Nothing here takes a mechanism's word for its privacy.
"""
