"""The relief: maps as columns in space, all under one camera.

It shows apart what a flat map cannot: a tower of people and a spike of noise.
"""
