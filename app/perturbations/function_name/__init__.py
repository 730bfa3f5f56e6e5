"""Changes of the function's name (ReCode, section 3.2)."""
