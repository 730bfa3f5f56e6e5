"""Small programs by chance, to be changed and run: they end soon, whatever they do with their loops."""

from dataclasses import dataclass, field
from random import Random

from hypothesis import strategies as st

from app.perturbations import Form, Problem

CALLS: tuple[tuple[int, int, list[int], str], ...] = ((3, 5, [4, 1, 3], "abca"), (0, 2, [], ""), (-2, 7, [2, 2], "z"))
ITERABLES = (
    "range({n})",
    "range(a, b)",
    "range({n}, -1, -1)",
    "range(0, b, 2)",
    "range(1, len(xs) + 1)",
    "range(b, a, a - b or 1)",
    "xs",
    "xs[1:]",
    "s",
    "(a, b)",
    "a, b, {n}",
    "sorted(xs)",
    "list(xs)",
    "{{a: 1, b: 2}}",
    "iter(xs)",
    "reversed(xs)",
    "set(xs)",
    "[y for y in xs if y > {n}]",
    "(y for y in list(xs))",
)
PAIRS = ("enumerate(xs)", "zip(xs, s)", "{{a: b}}.items()", "[(a, b), (b, a)]")
SIMPLE = (
    "log.append({x})",
    "log.append(({x}, '{x} < # a \\\\'))",
    "{x} = (a + {n}) % 7",
    "{x} += 1 - {x} // 7 * 7",
    "a, b = b, a",
    "xs.append({n}) if len(xs) < 6 else None",
    "log.append([i for i in xs if i != {n}])",
    "log.append(sum(i for i in range({n})))",
    'log.append(f"{{{x}}} is {{a:>3}}")',
    "log.append({x} <= b)",
    'text = """one\n  two # < 3\n"""',
    "later.append(lambda: {x})",
    "import math; log.append(math.floor(a / 2))",
    "pass",
    "log.append([\n        {x}, {n},  # a part\n    ])",
    "total = a + \\\n        b",
)
CONDITIONS = (
    "a < b",
    "{x} == {n}",
    "not xs",
    "{n} >= len(xs)",
    "a != b and {x} < b",
    "(a) <= (b)",
    "len(xs) > len(s)",
)
NAMES = ("a", "b", "i", "j", "k")


@dataclass
class Writer:
    """Writes the lines of one function."""

    draws: Random
    lines: list[str] = field(default_factory=list)
    counters: int = 0

    def filled(self, text: str) -> str:
        """A template with a number and a name."""
        return text.format(n=self.draws.randrange(4), x=self.draws.choice(NAMES))

    def block(self, indent: str, depth: int, in_loop: bool) -> None:
        """One to three statements."""
        for _ in range(self.draws.randint(1, 3)):
            self.statement(indent, depth, in_loop)
        if in_loop and self.draws.random() < 0.3:
            self.lines.append(f"{indent}if {self.filled(self.draws.choice(CONDITIONS))}:")
            self.lines.append(f"{indent}    {self.draws.choice(['break', 'continue'])}")

    def statement(self, indent: str, depth: int, in_loop: bool) -> None:
        """Any kind; deeper than two only simple ones."""
        kinds = ["simple", "simple"] if depth > 2 else ["simple", "for", "for", "while", "if", "try", "def", "short"]
        getattr(self, f"_{self.draws.choice(kinds)}")(indent, depth, in_loop)

    def _simple(self, indent: str, depth: int, in_loop: bool) -> None:
        self.lines.append(indent + self.filled(self.draws.choice(SIMPLE)))

    def _short(self, indent: str, depth: int, in_loop: bool) -> None:
        name, iterable = self.draws.choice(NAMES), self.filled(self.draws.choice(ITERABLES))
        self.lines.append(f"{indent}for {name} in {iterable}: log.append({name}); a = {name}  # short")

    def _for(self, indent: str, depth: int, in_loop: bool) -> None:
        name, iterable = self.draws.choice(NAMES), self.filled(self.draws.choice(ITERABLES))
        if self.draws.random() < 0.2:
            name, iterable = "i, j", self.filled(self.draws.choice(PAIRS))
        self.lines.append(f"{indent}for {name} in {iterable}:" + self.draws.choice(["", "  # each"]))
        self.block(indent + "    ", depth + 1, in_loop=True)
        self._else(indent, depth, in_loop)

    def _while(self, indent: str, depth: int, in_loop: bool) -> None:
        self.counters += 1
        turns = f"turns{self.counters}"
        self.lines += [f"{indent}{turns} = 0", f"{indent}while {turns} < {self.draws.randrange(4)}:"]
        self.lines.append(f"{indent}    {turns} += 1")
        self.block(indent + "    ", depth + 1, in_loop=True)
        self._else(indent, depth, in_loop)

    def _else(self, indent: str, depth: int, in_loop: bool) -> None:
        if self.draws.random() < 0.3:
            self.lines.append(f"{indent}else:")
            self.block(indent + "    ", depth + 1, in_loop)

    def _if(self, indent: str, depth: int, in_loop: bool) -> None:
        self.lines.append(f"{indent}if {self.filled(self.draws.choice(CONDITIONS))}:")
        self.block(indent + "    ", depth + 1, in_loop)
        if self.draws.random() < 0.4:
            self.lines.append(f"{indent}elif {self.filled(self.draws.choice(CONDITIONS))}:")
            self.block(indent + "    ", depth + 1, in_loop)

    def _try(self, indent: str, depth: int, in_loop: bool) -> None:
        self.lines.append(f"{indent}try:")
        self.block(indent + "    ", depth + 1, in_loop)
        self.lines += [f"{indent}except NameError as error:", f"{indent}    log.append('unset')"]

    def _def(self, indent: str, depth: int, in_loop: bool) -> None:
        self.lines += [f"{indent}def inner(a, step=1):", f"{indent}    for i in range(a):"]
        self.lines += [f"{indent}        if i == step: return i + b", f"{indent}    return a"]
        self.lines.append(f"{indent}log.append(inner({self.draws.randrange(3)}, step={self.draws.randrange(3)}))")


def written(seed: int) -> Problem:
    """A function of chance with half a solution, split at any line."""
    writer = Writer(Random(seed))
    for _ in range(writer.draws.randint(1, 3)):
        writer.statement("    ", 0, in_loop=False)
    body = "\n".join(writer.lines).split("\n")
    half = writer.draws.randint(0, len(body))
    head = 'def work(a, b, xs: list, s: str):\n    """Work on a and xs.\n\n    >>> work(1, 2, [], "")\n    """\n'
    first = "    log, later, i, j = [], [], 0, 1\n" if writer.draws.random() < 0.8 else "    log, later = [], []\n"
    last = "    return log, a, b, xs, s, [one() for one in later]\n"
    visible = head + first + "".join(f"{line}\n" for line in body[:half])
    return Problem(
        f"written/{seed}", visible, "work", "".join(f"{line}\n" for line in body[half:]) + last, form=Form.HALF
    )


def results(problem: Problem) -> list[object]:
    """What the function gives for each of ``CALLS``, or the kind of error that it ends with."""
    names: dict[str, object] = {}
    exec(compile(problem.prompt + problem.canonical_solution, "written", "exec"), names)
    return [_result(names[problem.entry_point], *call) for call in CALLS]


def _result(function: object, a: int, b: int, xs: list[int], s: str) -> object:
    try:
        return function(a, b, list(xs), s)  # type: ignore[operator]
    except NameError:
        return "a name without a value"  # in a lambda it is no UnboundLocalError, but the NameError below it
    except Exception as error:
        return type(error).__name__


problems = st.integers(0, 10**9).map(written)
