"""The judge: one process for one job. It holds the tests and decides; ``passed`` is said in one place alone."""

import ast
import builtins
import linecache
import resource
import secrets
from typing import Any, NoReturn

from . import wire
from .candidate import remember
from .proxies import Remote, Unsplittable, as_exception
from .suite import TESTS
from .watch import Watch

BLOCKED = ("PermissionError",)
OWN_MEMORY = 4 << 30


def judge(watch: Watch, job: dict[str, Any]) -> NoReturn:
    """Run one program against its tests."""
    resource.setrlimit(resource.RLIMIT_AS, (OWN_MEMORY, OWN_MEMORY))
    remember(TESTS, job["tests"])
    try:
        _judge(watch, job)
    except Unsplittable as reason:
        watch.conclude("unsplittable", str(reason))
    except wire.Malformed as error:
        watch.conclude("error", f"it sent {error}")
    except BaseException as error:
        watch.conclude(*_verdict(error))


def _judge(watch: Watch, job: dict[str, Any]) -> NoReturn:
    tree, tests = _compiled(watch, job)
    _ask(watch, "load", {"source": job["source"]})
    if job["in_process"]:
        _in_process(watch, job)
    namespace: dict[str, Any] = {"__name__": "tests"}
    _help(watch, job["helpers"], namespace)
    _bind(watch, job, _free_names(tree), namespace)
    exec(tests, namespace)  # noqa: S102 - the data set's own tests  # nosec B102
    if job["entry_point"] and callable(check := namespace.get("check")):
        check(namespace[job["entry_point"]])
    watch.conclude("passed", "")


def _compiled(watch: Watch, job: dict[str, Any]) -> tuple[ast.Module, Any]:
    try:
        tree = ast.parse(job["tests"])
        tests = compile(tree, TESTS, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        watch.conclude("not_run", f"the tests can't be compiled: {type(error).__name__}: {error}")
    if not tree.body:
        watch.conclude("not_run", "there are no tests")
    if not job["entry_point"] and any(
        isinstance(each, ast.FunctionDef) and each.name == "check" for each in tree.body
    ):
        watch.conclude("not_run", "the tests define check(candidate), but no entry point is given")
    return tree, tests


def _help(watch: Watch, helpers: str, namespace: dict[str, Any]) -> None:
    try:
        exec(compile(helpers, "helpers.py", "exec", dont_inherit=True), namespace)  # noqa: S102 - the data set's own  # nosec B102
    except Exception as error:
        watch.conclude("not_run", f"the tests' helpers don't run: {type(error).__name__}: {error}")


def _bind(watch: Watch, job: dict[str, Any], used: set[str], namespace: dict[str, Any]) -> None:
    """Give the tests the entry point and those names of the program that they use and nobody else defines."""
    wanted = used - namespace.keys() - vars(builtins).keys()
    entry = job["entry_point"]
    names = sorted({*wanted, entry} if entry else wanted)
    reply = _ask(watch, "names", {"names": names})
    defined = [name for name in reply["ok"][1] if name in names]
    if entry and entry not in defined:
        watch.conclude("error", f"NameError: the program defines no {entry}")
    for name in defined:
        namespace[name] = Remote(lambda do, arguments: _ask(watch, do, arguments), name)


def _free_names(tests: ast.Module) -> set[str]:
    used: set[str] = set()
    defined: set[str] = set()
    for node in ast.walk(tests):
        if isinstance(node, ast.Name):
            (used if isinstance(node.ctx, ast.Load) else defined).add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
            defined.add(node.name)
        elif isinstance(node, ast.alias):
            defined.add((node.asname or node.name).split(".")[0])
        elif isinstance(node, ast.arg):
            defined.add(node.arg)
    return used - defined


def _in_process(watch: Watch, job: dict[str, Any]) -> NoReturn:
    watch.strength = "in_process"
    nonce = secrets.token_hex(16)
    arguments = {name: job[name] for name in ("helpers", "tests", "entry_point")}
    reply = _ask(watch, "suite", {**arguments, "nonce": nonce})
    if reply.get("suite") == nonce:
        watch.conclude("passed", "")
    line = reply.get("line")
    text = linecache.getline(TESTS, line).strip() if isinstance(line, int) else ""
    watch.conclude("failed", str(reply.get("message", "")) or text)


def _ask(watch: Watch, do: str, arguments: dict[str, Any]) -> dict[str, Any]:
    reply = watch.ask(do, arguments)
    if "raise" in reply:
        try:
            error = as_exception(reply)
        except (TypeError, KeyError, ValueError):
            raise wire.Malformed("an exception that is none") from None
        raise error
    return reply


def _verdict(error: BaseException) -> tuple[str, str]:
    own: dict[str, Any] | None = getattr(error, "candidates_own", None)
    if own is None:
        return _tests_verdict(error)
    names = own["raise"]
    reason = f"{own.get('class', names[0] if names else 'Exception')}: {own.get('message', '')}"
    if "MemoryError" in names:
        return "memory", "MemoryError: it wanted more memory than it may have"
    return ("blocked" if set(BLOCKED) & set(names) else "error"), reason


def _tests_verdict(error: BaseException) -> tuple[str, str]:
    if isinstance(error, MemoryError):
        return "error", "it sent more than the judge can hold"
    if isinstance(error, AssertionError):
        return "failed", f"{_test_line(error)}{f' — {_text(error)}' if _text(error) else ''}"
    return "error", f"{type(error).__name__}: {_text(error)} (in the tests: {_test_line(error)})"


def _test_line(error: BaseException) -> str:
    trace, line = error.__traceback__, 0
    while trace:
        if trace.tb_frame.f_code.co_filename == TESTS:
            line = trace.tb_lineno
        trace = trace.tb_next
    return linecache.getline(TESTS, line).strip()[:300]


def _text(error: BaseException) -> str:
    try:
        return str(error)[:300]
    except Exception:
        return ""
