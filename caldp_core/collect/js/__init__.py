"""`client.js`: a device's side of a collection, for browsers and Node."""
