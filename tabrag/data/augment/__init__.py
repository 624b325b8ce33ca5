"""Questions for tables that have none, by rules and without a language model.

A question is put together from what a table says of itself: words of its titles, its header paths and, for
a part of the questions, its cells.
"""
