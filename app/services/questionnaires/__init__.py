"""What a study asks: instruments with their questions, the scales of these, and the versions that grades point to."""
