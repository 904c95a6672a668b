"""The lesson to take home: pages and the stations of the classroom as one file, with questions."""
