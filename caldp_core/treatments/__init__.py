"""What offices do to a table before they publish it, beside noise with a promise.

Each treatment takes exact counts and gives a `Release`: a reader's estimate from the published
table. Larger cells, hidden small counts, and rounding promise nothing about one person; central
noise, and the mechanisms of scenarios (plain LDP, blocks, sensitive sets), do.
"""
