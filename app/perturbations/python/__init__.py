"""What the rules for Python share: a program with its trees, its tokens and scopes, and changes to its text."""
