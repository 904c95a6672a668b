"""What people can answer: a list of values or the cells of a map, and how it is cut into blocks."""
