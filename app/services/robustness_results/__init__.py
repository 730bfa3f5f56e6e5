"""What perturbed prompts do to models: Robust Pass, Drop and Relative over a perturbed set, what breaks, and why."""
