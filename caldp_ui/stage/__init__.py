"""Linked maps of one grid in the browser: zoom, tools, before and after, films, pictures to keep.

A page makes a `Scene` of coded pictures and calls `stage`; readers' actions come back as `Act` and
`StepChoice`. `web/` holds the browser's side: plain HTML, CSS and JavaScript, no build step, no
request to the outside.
"""
