"""Imports: bytes → rows → a checked batch → a study, as a run.

sources    an upload as named files (one file, gzip, zip), bounded
decoding   bytes → lines of text; reading: lines → rows; cells: values, checked
formats    which column holds what; tables: rows seen through that mapping
outputs, grades, scores, codegen_metrics   one layout each: rows → a batch
store_material, store_grades, store_scores   a batch compared with a study, and what is new stored
uploads, preview, runs   the way in: keep the file, look at it, import it
"""
