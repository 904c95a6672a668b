"""Random numbers: coins that decide privacy, fast binomials, tallies drawn in pieces."""
