"""The annotator's way from the invitation to the thanks: where a person stands, and what leads on from there."""
