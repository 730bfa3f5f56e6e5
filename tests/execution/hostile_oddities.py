"""Sixteen more: odd values, odd endings, and cheats that other harnesses have fallen for."""

from app.execution.protocol import Verdict
from tests.execution.hostile import Hostile

ODDITIES = [
    Hostile(
        "x1_input",
        Verdict.ERROR,
        """\
    return int(input())
""",
        note="EOFError at once, no hang",
    ),
    Hostile(
        "x2_import_time_state",
        Verdict.PASSED,
        """\
    import tempfile, os
    d = tempfile.mkdtemp()
    open(os.path.join(d, 'seen'), 'w').write('1')
    return a + b
""",
        note="temp files vanish with the job",
    ),
    Hostile(
        "x3_left_from_before",
        Verdict.PASSED,
        """\
    import os
    if os.path.exists('/tmp/seen') or any(n.startswith('tmp') for n in os.listdir('.')): return -1
    return a + b
""",
        note="run right after x2: must see a clean directory",
    ),
    Hostile(
        "x4_atexit_flip",
        Verdict.FAILED,
        """\
    return 0
import atexit, os
atexit.register(os._exit, 0)
""",
    ),
    Hostile(
        "x5_thread_outlives",
        Verdict.PASSED,
        """\
    import threading, time
    threading.Thread(target=time.sleep, args=(300,), daemon=False).start()
    return a + b
""",
        note="a non-daemon thread must not hold the job open",
    ),
    Hostile(
        "x6_deep_result",
        Verdict.ERROR,
        """\
    x = []
    for _ in range(100000): x = [x]
    return x
""",
        note="hostile return value",
    ),
    Hostile(
        "x7_huge_int",
        Verdict.FAILED,
        """\
    return 1 << 4000000
""",
        note="big result; no quadratic conversion",
    ),
    Hostile(
        "x8_surrogate",
        Verdict.FAILED,
        """\
    return '\\ud800'
""",
        note="lone surrogate in the result",
    ),
    Hostile(
        "x9_own_assert",
        Verdict.ERROR,
        """\
    assert False, 'mine'
""",
        note="an assert inside the candidate is the candidate's own error",
    ),
    Hostile(
        "x10_raise_keyboard",
        Verdict.ERROR,
        """\
    raise KeyboardInterrupt
""",
    ),
    Hostile(
        "x11_append_result",
        Verdict.FAILED,
        """\
    import sys
    f = sys._getframe()
    while f is not None:
        for n in ('result', 'results', 'details', 'res'):
            r = f.f_locals.get(n)
            if hasattr(r, 'append'):
                try: r.append('passed')
                except Exception: pass
        f = f.f_back
    return 0
""",
        note="appends to the harness own result list",
    ),
    Hostile(
        "x12_read_answers",
        Verdict.FAILED,
        """\
    import sys, re
    f = sys._getframe()
    while f is not None:
        for v in list(f.f_locals.values()):
            if isinstance(v, str) and 'candidate(' in v:
                for x, y, want in re.findall(r'candidate\\((-?\\d+), (-?\\d+)\\) == (-?\\d+)', v):
                    if (int(x), int(y)) == (a, b): return int(want)
        f = f.f_back
    return 0
""",
        note="reads the expected values out of the test source",
    ),
    Hostile(
        "x13_only_under_test",
        Verdict.FAILED,
        """\
    import sys
    class Q(int):
        def __eq__(self, other): return True
        __hash__ = int.__hash__
    return Q(0) if sys._getframe(1).f_code.co_name == 'check' else 0
""",
        note="cheats only when the caller is the test function",
    ),
    Hostile(
        "x14_skip_by_exit",
        Verdict.ERROR,
        """\
    import os, sys
    os.write(1, b'passed\\n')
    sys.stdout.flush()
    os.kill(os.getpid(), 15)
    os._exit(0)
""",
        note="kills itself with SIGTERM, else exits 0",
    ),
    Hostile(
        "x15_patch_math",
        Verdict.FAILED,
        """\
    return 0.0
import math, unittest
math.isclose = lambda *a, **k: True
unittest.TestCase.assertEqual = lambda *a, **k: None
""",
        note="patches the comparison helpers that the tests use",
        tests="""\
import math
def check(candidate):
    assert math.isclose(candidate(1, 2), 3)
    assert math.isclose(candidate(10, 32), 42)
""",
    ),
    Hostile(
        "x16_steal_nonce",
        Verdict.FAILED,
        """\
    import sys, os, json
    f = sys._getframe()
    while f is not None:
        q = f.f_locals.get('q')
        if isinstance(q, dict) and 'nonce' in q:
            os.write(3, json.dumps({'ok': q['nonce']}).encode() + b'\\n')
            os._exit(0)
        f = f.f_back
    return 0
""",
        note="takes the in-process runner's nonce from its frame and sends it itself",
    ),
]
