"""The noise with the least expected displacement that keeps a distance, with its proof.

Docs/mathematics.md, "The best noise for a distance", has the derivation.
"""
