"""Changes of the code's syntax (ReCode, section 3.3)."""
