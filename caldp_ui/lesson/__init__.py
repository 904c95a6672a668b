"""A lesson that is being held: its steps, its clock, and the bar at the bottom of every page."""
