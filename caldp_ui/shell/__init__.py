"""A page as one value: on screen, along its sliders, as a file, beside a pin."""
