"""What the rules of syntax have in common."""

from app.perturbations.protocol import Category, Mode
from app.perturbations.python.rule import PythonRule


class SyntaxRule(PythonRule):
    """Changes the code, and never a string or the docstring.

    As released exists only where the script's choice of the place and its new text were no chance of an unseeded
    generator or of a hash's order. Even there the released text itself went through a formatter; the rule is what
    can be made again, the files are imported.
    """

    category = Category.SYNTAX
    modes = frozenset({Mode.PAPER})
