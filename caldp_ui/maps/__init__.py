"""Maps of places: their ground, their protections, and the scene that compares estimates."""
