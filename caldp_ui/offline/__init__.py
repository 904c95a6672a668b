"""Pages as one HTML file: pictures and sliders that move without a server, and questions.

It needs no server and asks for nothing: it opens from a memory stick, on a phone, in a plane.
"""
