"""The designer: for any privacy matrix the best channel that is found, and a proof of how good.

Room: mechanisms.
"""
