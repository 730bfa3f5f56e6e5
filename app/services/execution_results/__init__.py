"""What executions tell: who solves how much of a benchmark, and whether tests and people agree about a study."""
