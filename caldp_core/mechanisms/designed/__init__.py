"""The designer: for any privacy matrix a channel, and a proof of how good it is.

`design` finds it, `DesignedMechanism` runs it.
"""
