"""Figures, their tables and their sentences: results in, plain data out. No web, no database.

An ``Exhibit`` is one figure with the sentence that reads it and the table of the same numbers.
"""
