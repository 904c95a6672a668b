"""Pages as one HTML file: pictures and sliders that move without a server, and questions.

The file needs no server and loads nothing: it opens from a memory stick, on a phone, in a plane.
"""
