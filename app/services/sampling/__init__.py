"""Samples of what is stored, as items to be graded: drawn by a seed, the same again on any machine and database.

spec          what is to be drawn: from which texts, how many, in which strata
candidates    what there is to draw from
drawing       the draw itself: pure, from keys and a seed
samples       preview a sample, and make its items
"""
