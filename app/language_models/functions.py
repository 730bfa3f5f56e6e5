"""The function that answers a prompt, found in its syntax tree, with what it uses of what comes after it."""

from collections.abc import Iterator
from functools import cache

import tree_sitter_python
from tree_sitter import Language, Node, Parser

# No function that answers a prompt is longer; the grammar reads each run of comments once per comment.
LONGEST = 50_000

_DEFINITIONS = ("function_definition", "class_definition", "decorated_definition")
_IMPORTS = ("import_statement", "import_from_statement")


def whole_function(prompt: str, completion: str, entry_point: str | None) -> str | None:
    """The completion up to the end of the first function that it ends, plus what that uses of the rest.

    The function is the last of that name (the prompt may only announce it), else the one that the prompt begins,
    else the completion's first. None if there is none that is free of errors, or the text is beyond LONGEST.
    """
    if len(prompt) + len(completion) > LONGEST:
        return None
    source = (prompt + completion).encode("utf-8", "surrogatepass")
    begin = len(prompt.encode("utf-8", "surrogatepass"))
    statements = _parser().parse(source).root_node.children
    answer = _find_answer(statements, begin, entry_point)
    if answer is None:
        return None
    after = [each for each in statements if each.start_byte >= answer.end_byte]
    pieces = [source[begin : answer.end_byte]]
    pieces += [source[each.start_byte : each.end_byte] for each in _used(statements, answer, after)]
    return b"\n\n\n".join(pieces).decode("utf-8", "surrogatepass") + "\n"


def _find_answer(statements: list[Node], begin: int, entry_point: str | None) -> Node | None:
    functions = [each for each in statements if _definition(each).type == "function_definition"]
    ended = [each for each in functions if each.end_byte > begin and not each.has_error]
    if entry_point is not None:
        return next((each for each in ended if entry_point in _defined(each)), None)
    return next(iter(ended), None)


def _used(statements: list[Node], answer: Node, after: list[Node]) -> list[Node]:
    """Statements after the answer that define names which the kept ones use, in their order."""
    offered = [each for each in after if not each.has_error and _defined(each)]
    names = {name for each in statements if each.start_byte <= answer.start_byte for name in _names(each)}
    kept: set[int] = set()
    found = True
    while found:
        wanted = [each for each in offered if each.start_byte not in kept and _defined(each) & names]
        kept |= {each.start_byte for each in wanted}
        names |= {name for each in wanted for name in _names(each)}
        found = bool(wanted)
    own = _defined(answer)
    return [each for each in offered if each.start_byte in kept and not _defined(each) & own]


def _defined(statement: Node) -> set[str]:
    """Names that a statement at the top level defines."""
    inner = _definition(statement)
    if inner.type in _DEFINITIONS:
        name = inner.child_by_field_name("name")
        return {_text(name)} if name is not None else set()
    if inner.type in _IMPORTS:
        return {_text(each) for each in _walk(inner) if each.type == "identifier"}
    if inner.type == "expression_statement" and inner.children and inner.children[0].type == "assignment":
        left = inner.children[0].child_by_field_name("left")
        return {_text(each) for each in _walk(left) if each.type == "identifier"} if left is not None else set()
    return set()


def _definition(statement: Node) -> Node:
    """What a decorated definition defines; any other statement itself."""
    inner = statement.child_by_field_name("definition") if statement.type == "decorated_definition" else None
    return statement if inner is None else inner


def _names(statement: Node) -> Iterator[str]:
    return (_text(each) for each in _walk(statement) if each.type == "identifier")


def _walk(node: Node) -> Iterator[Node]:
    waiting = [node]
    while waiting:
        current = waiting.pop()
        yield current
        waiting += current.children


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")


@cache
def _parser() -> Parser:
    return Parser(Language(tree_sitter_python.language()))
