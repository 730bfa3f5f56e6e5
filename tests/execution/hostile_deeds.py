"""Programs that use up the machine, reach for it, or stay."""

from app.execution.protocol import Limits, Verdict
from tests.execution.hostile import Hostile

DEEDS = [
    Hostile(
        "11_busy_loop",
        Verdict.TIMEOUT,
        """\
    while True: pass
""",
        limits=Limits(cpu=1, wall=5),
    ),
    Hostile(
        "12_sleeper",
        Verdict.TIMEOUT,
        """\
    import time
    time.sleep(3600)
""",
        note="burns no CPU: wall clock must catch it",
        limits=Limits(wall=2),
    ),
    Hostile(
        "13_catches_everything",
        Verdict.TIMEOUT,
        """\
    import signal, time
    for s in range(1, 32):
        try: signal.signal(s, signal.SIG_IGN)
        except (OSError, ValueError): pass
    while True:
        try:
            while True: a += 1
        except BaseException: pass
""",
        note="ignores SIGALRM, SIGTERM and SIGXCPU",
        limits=Limits(cpu=1, wall=4),
    ),
    Hostile(
        "14_memory_bomb",
        Verdict.MEMORY,
        """\
    x = []
    while True: x.append(bytearray(16 << 20))
""",
        limits=Limits(memory=268435456),
    ),
    Hostile(
        "15_memory_bomb_caught",
        Verdict.PASSED,
        """\
    try:
        x = bytearray(4 << 30)
    except MemoryError:
        pass
    return a + b
""",
        note="a refused allocation that the program handles is not a failure",
        limits=Limits(memory=268435456),
    ),
    Hostile(
        "16_recursion",
        Verdict.ERROR,
        """\
    return add(a, b)
""",
        note="RecursionError, not a crash",
    ),
    Hostile(
        "17_segfault",
        Verdict.ERROR,
        """\
    import ctypes
    return ctypes.string_at(0)
""",
        note="dies by signal 11",
    ),
    Hostile(
        "18_fork_children",
        Verdict.BLOCKED,
        """\
    import os
    for _ in range(20):
        if os.fork() == 0:
            import time
            time.sleep(300)
            os._exit(0)
    return a + b
""",
        note="bounded stand-in for a fork bomb; no child may be left over",
    ),
    Hostile(
        "19_shell_out",
        Verdict.BLOCKED,
        """\
    import subprocess
    subprocess.run(['/bin/sh', '-c', 'sleep 300 & true'], check=True)
    return a + b
""",
    ),
    Hostile(
        "20_network",
        Verdict.BLOCKED,
        """\
    import socket
    s = socket.create_connection(('127.0.0.1', 6379), 1)
    return a + b
""",
        note="reach for the local Redis",
    ),
    Hostile(
        "21_read_secrets",
        Verdict.ERROR,
        """\
    for p in ('/etc/shadow', '/proc/1/environ', '/proc/self/environ', '/root/.ssh/id_rsa',
              '/app/.env'):
        try:
            t = open(p).read()
        except OSError:
            continue
        if t.strip():
            print('read', p)
            return a + b
    raise RuntimeError('nothing to read')
""",
        note="'passed' here means something could be read; use a planted secret file and environment variable",
    ),
    Hostile(
        "22_write_outside",
        Verdict.ERROR,
        """\
    done = 0
    for p in ('/x', '/usr/lib/x', '/etc/x', '/var/tmp/x', '/dev/x', '/dev/shm/x', '/run/x',
              '/home/x', '/runner/x'):
        try:
            open(p, 'w').write('x'); done += 1
            print('wrote', p)
        except OSError:
            pass
    if not done: raise RuntimeError('nowhere to write')
    return a + b
""",
    ),
    Hostile(
        "23_kill_the_runner",
        Verdict.ERROR,
        """\
    import os, signal
    hit = 0
    for pid in [os.getppid()] + list(range(2, 400)) + [-1, 0]:
        if pid == os.getpid(): continue
        try:
            os.kill(pid, 0 if pid > 0 else signal.SIGCONT); hit += 1
        except OSError:
            pass
    if not hit: raise RuntimeError('no other process in reach')
    return a + b
""",
        note="probes with signal 0 only",
    ),
    Hostile(
        "24_stdout_flood",
        Verdict.ERROR,
        """\
    while True: print('y' * 4096)
""",
        note="output limit; the worker must not keep more than the cap",
        limits=Limits(cpu=6, wall=8),
    ),
    Hostile(
        "25_disk_fill",
        Verdict.ERROR,
        """\
    import os
    n = 0
    while n < 4000:
        with open(f'fill{n}', 'wb') as f: f.write(bytes(1 << 20))
        n += 1
    return a + b
""",
        note="ENOSPC / EFBIG inside the private tmp; nothing left afterwards",
        limits=Limits(cpu=10, wall=15),
    ),
]
