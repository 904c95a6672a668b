"""The noise with the least expected displacement that keeps a distance, with its proof.

Room: mechanisms. docs/mathematics.md, "The best noise for a distance", has the derivation.
"""
