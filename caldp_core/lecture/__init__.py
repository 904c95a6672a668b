"""Mechanisms of a first lecture on local DP that no policy of a scenario asks for.

Central mechanisms to compare with, selection bit by bit, RAPPOR's two layers, sketches, one-bit
means. What the catalogue has already (randomized response, one-hot reports, Hadamard and
Galois response) is taken from there. Every mechanism states its channel in rationals, so that
`audit` decides whether it keeps what it claims.
"""
