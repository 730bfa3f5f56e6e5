"""Changes of the docstring's words (ReCode, section 3.1)."""
