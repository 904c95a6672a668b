"""Attacks on published tables: what an attacker makes of them with subtraction and algebra."""
