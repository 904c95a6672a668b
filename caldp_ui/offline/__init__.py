"""A lesson to take home: one HTML file with maps and answers that move, and questions about them.

It needs no server and asks for nothing: it opens from a memory stick, on a phone, in a plane.
"""
