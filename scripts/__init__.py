"""How files of data/ and pictures of docs/ are made again; data/README.md says from what."""
