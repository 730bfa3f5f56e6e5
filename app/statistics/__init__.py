"""Statistics: arrays in, frozen results out. Nothing here knows of databases, pages or metric code.

Follows Evtikhiev, Bogomolov, Sokolov, Bryksin, "Out of the BLEU: How should we assess quality of the Code
Generation models?", Journal of Systems and Software, 2023 ("the paper" in the docstrings of this room).
"""
