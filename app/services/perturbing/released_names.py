"""What the released files call transformations, and what they are called here."""

from app.perturbations import Category, Form, available

GROUPS = {
    "nlaugmenter": Category.DOCSTRING,
    "func_name": Category.FUNCTION_NAME,
    "natgen": Category.SYNTAX,
    "format": Category.FORMAT,
}
HALVES = (Category.SYNTAX, Category.FORMAT)  # what is made of prompts with half of a solution

# For names that no transformation claims as its own; what is called alike here and there needs no line.
LABELS = {
    "ButterFingersPerturbation": "ButterFingers",
    "SwapCharactersPerturbation": "SwapCharacters",
    "WhitespacePerturbation": "Whitespace",
    "FuncRenameCamelCase": "CamelCase",
    "FuncRenameButterFinger": "ButterFingers",
    "FuncRenameSwapChar": "SwapCharacters",
    "FuncRenameChangeChar": "ChangeCharCase",
    "FuncRenameInflectionalVariation": "InflectionalVariation",
    "FuncRenameSynonymSub": "SynonymSubstitution",
    "ForWhileTransformer": "ForWhileSwitch",
    "tab_indent": "TabIndent",
    "split_lines": "LineSplit",
    "doc2comments": "Doc2Comments",
    "new_lines": "NewlineRandom",
    "new_line_aftercode": "NewlineAfterCode",
    "new_line_afterdoc": "NewlineAfterDoc",
}


def form_of(category: Category) -> Form:
    """Which prompts the released files of that category have."""
    return Form.HALF if category in HALVES else Form.WHOLE


def name_of(category: Category, released: str) -> str:
    """The name of the transformation that made a released file; its own where it is known under no other."""
    claimed = {each.released_name: each.name for each in available() if each.category is category}
    return claimed.get(released) or f"{category}/{LABELS.get(released, released)}"
