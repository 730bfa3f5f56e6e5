"""The tests in the candidate's own process, for suites that can't be split. Stored as the weaker strength."""

from typing import Any

TESTS = "tests.py"


def run_suite(namespace: dict[str, Any], helpers: str, tests: str, entry_point: str | None, nonce: str) -> Any:
    """Run helpers and tests; the nonce comes back where the tests ran to their end."""
    own = namespace.get(entry_point) if entry_point else None
    before = dict(namespace)
    exec(compile(helpers, "helpers.py", "exec", dont_inherit=True), namespace)  # noqa: S102  # nosec B102
    namespace.update(before)
    try:
        exec(compile(tests, TESTS, "exec", dont_inherit=True), namespace)  # noqa: S102  # nosec B102
        if entry_point and callable(namespace.get("check")):
            namespace["check"](own)
    except AssertionError as error:
        if _raised_by(error) != TESTS:
            raise
        return {"ok": None, "suite": "failed", "line": _line(error), "message": str(error)[:1000]}
    return {"ok": None, "suite": nonce}


def _raised_by(error: BaseException) -> str:
    trace = error.__traceback__
    while trace and trace.tb_next:
        trace = trace.tb_next
    return trace.tb_frame.f_code.co_filename if trace else ""


def _line(error: BaseException) -> int:
    trace = error.__traceback__
    while trace and trace.tb_next:
        trace = trace.tb_next
    return trace.tb_lineno if trace else 0
