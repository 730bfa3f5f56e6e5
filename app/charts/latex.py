"""A table for a paper: LaTeX with booktabs."""

from app.charts.tables import MISSING, Cell, Column, Shown, Table
from app.hidden_characters import spelled

SPECIAL = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "−": "$-$",
    "≈": r"$\approx$",
    "↕": r"$\updownarrow$",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "Δ": r"$\Delta$",
    "κ": r"$\kappa$",
    "α": r"$\alpha$",
    "ρ": r"$\rho$",
    "τ": r"$\tau$",
    "–": "--",
    "…": r"\dots{}",
    "\n": " ",
    "\r": " ",
}


def escape(text: str) -> str:
    """Text that LaTeX prints as it is; what can't be seen, or would turn its neighbours round, is spelled out."""
    return "".join(SPECIAL.get(letter, letter) for letter in spelled(text))


def render_latex(table: Table) -> str:
    """A complete table environment; needs \\usepackage{booktabs}. Of a table without rows only a comment."""
    if not table.rows:
        return f"% {escape(table.title)}: no rows\n"
    alignment = "".join("l" if column.is_text else "r" for column in table.columns)
    lines = [
        "% Needs \\usepackage{booktabs}",
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{escape(table.title)}. {escape(table.printed_caption)}}}",
        rf"\label{{tab:{table.name}}}",
        rf"\begin{{tabular}}{{{alignment}}}",
        r"\toprule",
        _line([_head(column) for column in table.columns]),
        r"\midrule",
        *[_line([_cell(*parts) for parts in row]) for row in table.shown_rows()],
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _line(cells: list[str]) -> str:
    """A row; the end of the one before must not take its first letter for a length or a star of its own."""
    start = "{}" if cells[0].startswith(("[", "*")) else ""
    return start + " & ".join(cells) + r" \\"


def _head(column: Column) -> str:
    return escape(f"{column.title} ({column.unit})" if column.unit else column.title)


def _cell(column: Column, cell: Cell, shown: Shown) -> str:
    text = escape(shown.text)
    if cell.mark == "best":
        text = rf"\textbf{{{text}}}"
    if cell.mark == "worst":
        text = rf"\underline{{{text}}}"
    if shown.up:
        text += f"$^{{{_exponent(shown.up)}}}_{{{_exponent(shown.down)}}}$"
    if shown.note and shown.text != MISSING:
        text += f" ({escape(shown.note)})"
    return text + escape(shown.sign)


def _exponent(text: str) -> str:
    return text.replace("−", "-")
