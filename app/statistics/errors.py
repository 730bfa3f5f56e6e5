"""The one error of this room: an input from which nothing can be computed."""


class StatisticsError(ValueError):
    """The input does not allow the computation; the message says what is wrong and what would help."""
