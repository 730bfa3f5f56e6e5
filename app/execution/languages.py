"""The languages beside Python that programs may be in: how each is compiled, run, limited and judged.

The tests of such a program are source in its language, behind the program in one file, and run beside it (strength
``in_process``). ``wrappers`` tells how a pass is known.
"""

import os
import re
import shutil
import subprocess  # started with fixed arguments only  # nosec B404
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from app.execution.inside.walls import LOADERS
from app.execution.interpreter import ENVIRONMENT, SYSTEM_FOLDERS, user
from app.execution.java_source import read_java
from app.execution.protocol import Program
from app.execution.wrappers import JAVASCRIPT, NAME, java_wrapper

MIB = 1 << 20
MARKS = ("lib/modules", "include/node/node_version.h")  # of a folder that is a JDK or Node.js
COMPILE_SECONDS = 60.0
COMPILE_MEMORY = 1536 * MIB
JAVA_OPTIONS = ("-XX:+UseSerialGC", "-XX:-UsePerfData", "-Xshare:auto", "-XX:+DisableAttachMechanism")
JAVAC_OPTIONS = tuple(f"-J{each}" for each in (*JAVA_OPTIONS, "-XX:TieredStopAtLevel=1", "-Xmx512m"))


class Unusable(Exception):
    """A program that can't be run here, or whose tests can't: its message says why."""


@dataclass(frozen=True)
class Language:
    """One row of the table.

    ``beyond`` is what the runtime itself may write to beside the program's own memory, in bytes: its address space is
    reserved in advance, so that the option in ``run`` limits the program and this much more is allowed to the whole.
    ``memory_words`` on stderr and ``memory_errors`` among exceptions say that memory ran out; ``assertions`` are the
    exceptions by which tests fail.
    """

    name: str
    programs: tuple[str, ...]  # the last one runs it, the first one compiles it where there are two
    asks_version: tuple[str, ...]
    files: Callable[[str], tuple[dict[str, str], tuple[str, ...], tuple[str, ...]]]  # with what to compile and to run
    compile: tuple[str, ...]
    run: tuple[str, ...]  # {memory} is the program's, in MiB
    environment: Mapping[str, str]  # beyond what Python's programs have; {home} is the folder above the program's
    beyond: int
    memory_words: tuple[str, ...]
    memory_errors: tuple[str, ...]
    assertions: tuple[str, ...]


def _java_files(whole: str) -> tuple[dict[str, str], tuple[str, ...], tuple[str, ...]]:
    read = read_java(whole)
    if read.main is None:
        raise Unusable("the tests have no class with a main")
    file = f"{read.public or read.main}.java"
    wrapper = java_wrapper(f"{read.package}.{read.main}" if read.package else read.main, file)
    return {file: whole, f"judging/{NAME}.java": wrapper}, (file, f"judging/{NAME}.java"), (f"judging.{NAME}",)


def _javascript_files(whole: str) -> tuple[dict[str, str], tuple[str, ...], tuple[str, ...]]:
    return {"program.js": whole, "judging.js": JAVASCRIPT}, (), ("judging.js",)


LANGUAGES = {
    each.name: each
    for each in (
        Language(
            name="java",
            programs=("javac", "java"),
            asks_version=("-version",),
            files=_java_files,
            compile=(*JAVAC_OPTIONS, "-proc:none", "-nowarn", "-encoding", "UTF-8", "-d", "."),
            run=(*JAVA_OPTIONS, "-Xmx{memory}m", "-XX:ErrorFile=/dev/null", "-ea", "-cp", "."),
            # Where it looks for its libraries itself, it asks /proc, which is not there.
            environment={"LD_LIBRARY_PATH": "{home}/lib"},
            beyond=512 * MIB,
            memory_words=("java.lang.OutOfMemoryError", "There is insufficient memory for the Java Runtime"),
            memory_errors=("java.lang.OutOfMemoryError",),
            assertions=("java.lang.AssertionError",),
        ),
        Language(
            name="javascript",
            programs=("node",),
            asks_version=("--version",),
            files=_javascript_files,
            compile=(),
            run=("--max-old-space-size={memory}",),
            environment={"OPENSSL_CONF": "/dev/null"},
            beyond=512 * MIB,
            memory_words=("JavaScript heap out of memory", "Array buffer allocation failed"),
            memory_errors=(),
            assertions=("AssertionError",),
        ),
    )
}


def plan_of(program: Program) -> dict[str, Any] | None:
    """How the program is compiled and run, as the judge reads it; None for Python, which it runs itself.

    Unusable says that the language is not in the table, what this machine lacks, or why the tests can't be run.
    """
    if program.language == "python":
        return None
    language = LANGUAGES.get(program.language)
    if language is None:
        raise Unusable(f"{program.language} is none of the languages that can be run: python, {', '.join(LANGUAGES)}")
    places = {name: _place(name, language) for name in language.programs}
    if not program.tests.strip():
        raise Unusable("there are no tests")
    source = program.source if program.source.endswith("\n") else program.source + "\n"
    files, compiled, run = language.files(source + program.tests)
    runner, compiler = places[language.programs[-1]], places[language.programs[0]]
    home = str(Path(runner).parent.parent)
    memory = str(max(program.limits.memory // MIB, 1))
    return {
        "files": files,
        "compile": [compiler, *language.compile, *compiled] if language.compile else None,
        "run": [runner, *(part.replace("{memory}", memory) for part in language.run), *run],
        "executables": sorted(set(places.values())),
        "environment": ENVIRONMENT
        | {name: text.replace("{home}", home) for name, text in language.environment.items()},
        "memory": program.limits.memory + language.beyond,
        "compile_memory": COMPILE_MEMORY,
        "compile_seconds": COMPILE_SECONDS,
        "tests_begin": source.count("\n") + 1,
        "memory_words": language.memory_words,
        "memory_errors": language.memory_errors,
        "assertions": language.assertions,
    }


def version_of(name: str) -> str:
    """What runs a language here, as a part of an outcome's signature: "java:17.0.15"."""
    language = LANGUAGES[name]
    return f"{name}:{_version(_place(language.programs[-1], language), language.asks_version)}"


def executables() -> tuple[str, ...]:
    """Every program of the table that this machine has, and what the kernel starts programs with."""
    names = {name for language in LANGUAGES.values() for name in language.programs}
    found = (program_at(name) for name in sorted(names))
    return (*(each for each in found if each), *LOADERS)


def readable() -> tuple[str, ...]:
    """The folders beyond the system's that those programs lie in or read from."""
    folders: dict[str, None] = {}
    for program in executables():
        if program not in LOADERS:
            folders |= dict.fromkeys(_needed_by(Path(program)))
    return tuple(folders)


@lru_cache
def program_at(name: str) -> str | None:
    """Where a program really lies; None where this machine has none in the system's folders or one of its own."""
    found = shutil.which(name)
    if found is None:
        return None
    place = Path(found).resolve()
    return str(place) if _is_systems(place) or _is_runtimes_own(place.parent.parent) else None


def _is_runtimes_own(folder: Path) -> bool:
    """Whether a folder holds a runtime and nothing else: a home with a program in its bin must not be shown."""
    return folder not in (Path.home(), *Path.home().parents) and any((folder / each).exists() for each in MARKS)


def _place(name: str, language: Language) -> str:
    place = program_at(name)
    if place is None:
        raise Unusable(f"there is no {name} on this machine, which {language.name} needs")
    return place


@lru_cache
def _version(program: str, asks: tuple[str, ...]) -> str:
    uid, gid = user() or (None, None)
    try:
        answer = subprocess.run(  # noqa: S603 - a program of the table and a fixed question  # nosec B603
            [program, *asks],
            capture_output=True,
            text=True,
            timeout=60,
            user=uid,
            group=gid,
            extra_groups=[] if uid is not None else None,
            env=ENVIRONMENT,
            cwd="/",
            check=True,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise Unusable(f"{program} can't be run by the sandbox's user: {error}") from None
    found = re.search(r"\d+(?:\.\d+)*", answer.stdout + answer.stderr)
    return found[0] if found else "unknown"


def _needed_by(program: Path) -> Iterable[str]:
    """The runtime's own folder, and those that its links lead to: Debian keeps a JDK's settings in /etc."""
    home = program.parent.parent
    if not _is_systems(home):
        yield str(home)
    if _is_runtimes_own(home):
        for folder, _, names in os.walk(home / "conf"):
            for target in (Path(folder, name).resolve() for name in names):
                if target.parts[1] == "etc" and re.search("java|jdk", target.parts[2]):
                    yield str(Path(*target.parts[:3]))


def _is_systems(path: Path) -> bool:
    return any(path.is_relative_to(folder) for folder in SYSTEM_FOLDERS)
