"""A running lesson: its steps, its clock, and the bar at the bottom of every page."""
