"""What a table of counts is: its facts, which of them are sums of others, and what must be asked.

`model.read_model` turns rows into a `TableModel`. Rules only propose sums (`rules.py`); one
function decides by the numbers whether they hold (`decisions.py`); people are the facts that are no
sum of others, so that no order of questions exists.
"""
