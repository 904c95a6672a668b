"""The page of one yes-or-no question: two ε's, one coin, many people."""
