"""The page of what an adversary learns: one person, their reports, and an attacker's beliefs."""
