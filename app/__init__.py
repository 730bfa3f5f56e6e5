"""CodeJury: people grade generated code; researchers learn which metrics agree with them."""

__version__ = "0.1.0"
