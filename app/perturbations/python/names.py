"""Which names a program and its tests use, and new ones that they don't."""

import ast
import builtins
import keyword
import re
from functools import lru_cache

from app.perturbations.python.source import Source

_WORD = re.compile(r"\w+")
BUILTINS = frozenset(dir(builtins))
RESERVED = (BUILTINS | frozenset(keyword.kwlist) | frozenset(keyword.softkwlist)) - {"_"}
_READERS_OF_NAMES = frozenset({"locals", "globals", "vars", "dir", "eval", "exec"})


@lru_cache(maxsize=256)
def taken(source: Source) -> frozenset[str]:
    """Every word of the program and its tests, comments and strings too, and the words of Python itself."""
    text = source.code.decode("utf-8") + "\n" + source.problem.tests
    return RESERVED.union(_WORD.findall(text))


def fresh(source: Source, wanted: str) -> str:
    """``wanted``, or where it is taken ``wanted2``, ``wanted3``, …"""
    used, number, name = taken(source), 1, wanted
    while name in used:
        number += 1
        name = f"{wanted}{number}"
    return name


@lru_cache(maxsize=256)
def bound_names(source: Source) -> frozenset[str]:
    """Names that the program itself gives a meaning to, in whichever scope."""
    found = set()
    for node in ast.walk(source.tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.arg(arg=name):
                found.add(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                found.add(name)
            case ast.alias(name=name, asname=renamed):
                found.add(renamed or name.partition(".")[0])
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                found.add(name)
            case ast.MatchMapping(rest=str(name)):
                found.add(name)
    return frozenset(found)


def means_builtin(source: Source, *names: str) -> bool:
    """Whether these names mean Python's own functions all over the program; ``import *`` leaves that open."""
    return not bound_names(source) & {*names, "*"}


@lru_cache(maxsize=256)
def reads_its_names(source: Source) -> bool:
    """Whether the program could see that a variable came or got another name, by ``locals()`` and the like."""
    return any(isinstance(node, ast.Name) and node.id in _READERS_OF_NAMES for node in ast.walk(source.tree))


@lru_cache(maxsize=256)
def declared_elsewhere(source: Source) -> frozenset[str]:
    """Names in ``global`` and ``nonlocal`` statements: another function may bind them."""
    declared = (node.names for node in ast.walk(source.tree) if isinstance(node, ast.Global | ast.Nonlocal))
    return frozenset(name for names in declared for name in names)
