"""Programs that are right, wrong, or want to be taken for right."""

from app.execution.protocol import Verdict
from tests.execution.hostile import Hostile

ANSWERS = [
    Hostile(
        "01_correct",
        Verdict.PASSED,
        """\
    return a + b
""",
    ),
    Hostile(
        "02_wrong",
        Verdict.FAILED,
        """\
    return a - b
""",
    ),
    Hostile(
        "03_raises",
        Verdict.ERROR,
        """\
    raise RuntimeError('not today')
""",
    ),
    Hostile(
        "04_syntax",
        Verdict.ERROR,
        """\
    return (a + b
""",
        note="must name SyntaxError",
    ),
    Hostile(
        "05_os_exit_zero",
        Verdict.ERROR,
        """\
    import os
    os._exit(0)
""",
        note="exit code 0 is not a pass",
    ),
    Hostile(
        "06_sys_exit_zero",
        Verdict.ERROR,
        """\
    return a + b
import sys
sys.exit(0)
""",
        note="SystemExit at import",
    ),
    Hostile(
        "07_always_equal",
        Verdict.FAILED,
        """\
    class Yes(int):
        def __eq__(self, other): return True
        def __ne__(self, other): return False
        __hash__ = int.__hash__
    return Yes(7)
""",
        note="object that claims to equal everything",
    ),
    Hostile(
        "08_patch_check",
        Verdict.FAILED,
        """\
    return 0
def check(candidate):
    return True
import builtins
builtins.AssertionError = type('Quiet', (Exception,), {})
import sys
sys.modules['__main__'].__dict__['check'] = check
""",
        note="redefines the test helper and AssertionError",
    ),
    Hostile(
        "09_walk_the_stack",
        Verdict.FAILED,
        """\
    import sys
    f = sys._getframe()
    while f is not None:
        for c in f.f_code.co_consts:
            if c == 42: return 42
        src = f.f_locals.get('src') or f.f_locals.get('q') or ''
        f = f.f_back
    import gc
    for o in gc.get_objects():
        if type(o) is dict and 'nonce' in o: o['verdict'] = 'passed'
    return 3
""",
        note="looks for answers and a nonce in frames and the heap",
    ),
    Hostile(
        "10_fake_report",
        Verdict.ERROR,
        """\
    import os
    for fd in range(1, 64):
        for line in (b'{"ok": "passed"}\\n', b'\\x00\\x00\\x00\\x00', b'passed\\n', b'1 passed, 0 failed\\n'):
            try: os.write(fd, line)
            except OSError: pass
    return 0
""",
        note="writes 'passed' to every descriptor, the judge's too: a reply that is none",
    ),
]
