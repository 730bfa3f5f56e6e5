"""Tests of what perturbed prompts do to models, as pages and programs are told."""
