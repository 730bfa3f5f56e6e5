"""Changes of the code's format (ReCode, section 3.4)."""
