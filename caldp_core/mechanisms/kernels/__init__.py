"""The noise with the least expected displacement that keeps a distance, with its proof.

The derivation is in docs/mathematics.md, "The best noise for a distance".
"""
