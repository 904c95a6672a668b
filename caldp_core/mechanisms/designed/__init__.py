"""The designer: for any privacy matrix the best channel that is found, and a proof of how good it is.

Room: mechanisms. `design` finds it, `DesignedMechanism` runs it.
"""
