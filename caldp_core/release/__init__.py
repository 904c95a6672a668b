"""Releases of a list that an office holds: drawn once, frozen, entered in a ledger.

An office has the true answers of everybody, publishes one table of counts, and is trusted. Settings
(`settings.py`) say what a person is, which cells there are, how they are protected, and who answers
for it. `desk.py` counts (`counting.py`), treats (`treatments.py`) and freezes (`frozen.py`); every
file of the pack (`pack.py`) is made from the frozen object. `office.py` has the ledger and its key.
"""
