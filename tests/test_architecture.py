"""The floors of the house, for plain pytest; import-linter checks them too, along indirect ways."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
ROOMS = {
    "app.metrics": 0,
    "app.statistics": 0,
    "app.perturbations": 0,
    "app.execution": 0,
    "app.language_models": 0,
    "app.charts": 1,
    "app.storage": 2,
    "app.services": 3,
    "app.web": 4,
    "app.cli": 4,
    "app.main": 4,
    "workers": 4,
}
SETTINGS = {"app.config", "app.addresses", "app.misspelt", "app.production"}
EVERYWHERE = {
    "app",
    *SETTINGS,
    "app.errors",
    "app.hidden_characters",
    "app.words",
    "app.clock",
    "app.ids",
    "app.logs",
    "app.once",
    "app.tracing",
}
NOT_ON_FLOOR_0 = {"fastapi", "starlette", "sqlalchemy", "alembic", "celery", "redis", "jinja2"}
MODEL_LIBRARIES = {"torch", "transformers"}
FILES = sorted([*ROOT.glob("app/**/*.py"), *ROOT.glob("workers/**/*.py")])


def room(module: str) -> str:
    """Return the room or shared module that ``module`` lies in."""
    parts = module.split(".")
    return ".".join(parts[:2]) if parts[0] == "app" else parts[0]


def imports(file: Path, nodes: Iterator[ast.AST]) -> Iterator[str]:
    """Every module that the nodes import, by its full name."""
    package = file.relative_to(ROOT).with_suffix("").parts[:-1]
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join([*base, *([node.module] if node.module else [])])
            # "from app import web" names a room, "from app.web import x" only perhaps a module.
            yield from (f"{module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_imports_go_down_only(file: Path) -> None:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    own = room(".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"))
    floor = ROOMS.get(own)
    assert floor is not None or own in EVERYWHERE, f"{own} has no floor: say which in tests/test_architecture.py"
    for module in imports(file, ast.walk(tree)):
        library = module.split(".")[0]
        if library in ("app", "workers"):
            target = ROOMS.get(room(module), -1)
            assert target <= (floor if floor is not None else -1), f"{own} imports {module}, which lies higher"
        assert floor != 0 or library not in NOT_ON_FLOOR_0, f"{own} is pure, but imports {module}"
        assert own == "app.language_models" or library not in MODEL_LIBRARIES, f"{own} imports {module}"


def test_model_libraries_are_imported_inside_functions_only() -> None:
    for file in ROOT.glob("app/language_models/**/*.py"):
        body = ast.parse(file.read_text(encoding="utf-8")).body
        libraries = {module.split(".")[0] for module in imports(file, iter(body))}
        assert not libraries & MODEL_LIBRARIES, f"{file.name} imports a model library when it is itself imported"


@pytest.mark.parametrize("file", sorted(ROOT.glob("codejury/*.py")), ids=lambda file: file.name)
def test_the_client_knows_the_server_by_its_addresses_only(file: Path) -> None:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    assert not [
        module for module in imports(file, ast.walk(tree)) if room(module).split(".")[0] in ("app", "workers")
    ]
    at_the_top = set(imports(file, iter(tree.body)))
    assert not [module for module in at_the_top if module.startswith("pandas")], "a frame is made where it is wanted"
