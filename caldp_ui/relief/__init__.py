"""The relief: maps as columns in space, all under one camera.

What a flat map cannot tell apart, a tower of people and a spike of noise, is seen here.
"""
