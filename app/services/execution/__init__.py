"""Programs against their tests: what is run, which verdicts are stored, and the scores that a study has of them."""
