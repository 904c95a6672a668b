"""The lecture as seven stations: one picture, one or two controls, one sentence to take home each.

`station.py` says what a station is, `page.py` lists them; each has a file of its own, and only
the open one is computed and drawn.
"""
