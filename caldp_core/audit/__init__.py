"""Audits: whether a channel keeps its policy, and what an adversary learns from a report.

No mechanism is trusted to certify itself.
"""
