"""What goes wrong on the way from a prompt to a verdict."""
