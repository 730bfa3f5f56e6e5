"""What runs inside the sandbox. Standard library and relative imports only: the folder is bound there alone."""
