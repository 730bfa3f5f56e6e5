"""Programs in other languages than Python behind the same walls, on every tier that this machine has."""

from pathlib import Path

import pytest

from app.config import PROJECT_ROOT
from app.execution.java_source import read_java
from app.execution.languages import LANGUAGES, program_at
from app.execution.protocol import Limits, Outcome, Program, Strength, Verdict
from app.execution.runner import Sandbox
from tests.execution.languages import JAVA, JAVA_TESTS, JAVASCRIPT, READ_JAVA, USUAL, InLanguage
from tests.execution.leftovers import connections, is_settled, soon
from tests.services.programs import JDK
from tests.shared_data import skip_or_fail


@pytest.fixture
def java() -> None:
    """Leave the test out, or fail where all must run, without a JDK."""
    if program_at("javac") is None:
        skip_or_fail(f"there is no JDK: {JDK.remedy}.")


@pytest.fixture
def node() -> None:
    """Leave the test out without Node.js, which the stylesheets' build needs anyway."""
    if program_at("node") is None:
        pytest.skip("there is no node on this machine")


def _run(tier: Sandbox, case: InLanguage) -> Outcome:
    """What became of it, once nothing of it is left."""
    before = connections()
    outcome = tier.run(case.program)
    assert outcome.strength is Strength.IN_PROCESS
    assert outcome.runtime.startswith(f"{case.language}:")
    assert soon(lambda: is_settled(tier)), "it left a process or a file"
    assert connections() == before
    return outcome


def _is_as_told(outcome: Outcome, case: InLanguage) -> bool:
    return outcome.verdict is case.expected and case.reason in outcome.reason


@pytest.mark.usefixtures("java")
@pytest.mark.parametrize("case", JAVA, ids=lambda case: case.name)
def test_java(tier: Sandbox, case: InLanguage) -> None:
    outcome = _run(tier, case)
    assert _is_as_told(outcome, case), outcome


@pytest.mark.usefixtures("node")
@pytest.mark.parametrize("case", JAVASCRIPT, ids=lambda case: case.name)
def test_javascript(tier: Sandbox, case: InLanguage) -> None:
    outcome = _run(tier, case)
    assert _is_as_told(outcome, case), outcome


@pytest.mark.usefixtures("java")
def test_java_reads_no_secret_and_writes_nothing_outside(tier: Sandbox, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("planted")
    outcome = _run(tier, InLanguage("read", "java", Verdict.PASSED, READ_JAVA % {"secret": secret}))
    assert outcome.verdict is Verdict.PASSED, outcome
    write = """
        for (String folder : new String[] {"/", "/dev/shm", "/var/tmp", "/usr", "%s"}) {
            try {
                java.nio.file.Files.writeString(java.nio.file.Path.of(folder, "codejury-java"), "x");
                return 99;
            } catch (java.io.IOException error) {
                continue;
            }
        }
        return a + b;
    """
    tmp_path.chmod(0o777)
    outcome = _run(tier, InLanguage("write", "java", Verdict.PASSED, write % tmp_path))
    assert outcome.verdict is Verdict.PASSED, outcome
    assert list(tmp_path.iterdir()) == [secret]


@pytest.mark.usefixtures("java")
def test_the_compiler_is_not_counted_as_the_programs_time(tier: Sandbox) -> None:
    quick = InLanguage(
        "quick", "java", Verdict.PASSED, "return a + b;", limits=Limits(cpu=5, wall=20, memory=256 << 20)
    )
    outcome = tier.run(quick.program)
    assert outcome.verdict is Verdict.PASSED, outcome
    assert outcome.cpu_seconds < 5
    assert outcome.memory_bytes < 100 << 20  # the compiler alone takes more


@pytest.mark.usefixtures("java")
def test_tests_in_the_programs_own_class_and_in_a_package(runner: Sandbox) -> None:
    """As MultiPL-E has them: the prompt opens the class, the tests close it."""
    opened = "package a.b;\nclass Problem {\n    static int add(int a, int b) {\n        return a %s b;\n"
    tests = "    }\n    public static void main(String[] args) {\n        assert (add(1, 2) == 3);\n    }\n}\n"
    for sign, verdict in (("+", Verdict.PASSED), ("-", Verdict.FAILED)):
        outcome = runner.run(Program(opened % sign, tests, None, language="java", limits=USUAL))
        assert outcome.verdict is verdict, outcome


def test_what_can_not_be_run_is_said(runner: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    outcome = runner.run(Program("print(1)", "x", None, language="cobol"))
    assert (outcome.verdict, outcome.strength) == (Verdict.NOT_RUN, None)
    assert outcome.reason == "cobol is none of the languages that can be run: python, java, javascript"
    monkeypatch.setenv("PATH", "/nowhere")
    program_at.cache_clear()
    outcome = runner.run(JAVA[0].program)
    program_at.cache_clear()
    assert outcome.verdict is Verdict.NOT_RUN
    assert outcome.reason == "there is no javac on this machine, which java needs"


@pytest.mark.usefixtures("java")
@pytest.mark.parametrize("tests", ["", "class Main { }"])
def test_tests_without_a_main_are_not_run(runner: Sandbox, tests: str) -> None:
    assert runner.run(Program("class Solution { }", tests, None, language="java")).verdict is Verdict.NOT_RUN


def test_a_java_files_classes_are_found_whatever_its_strings_and_comments_hold() -> None:
    text = (
        "// package x; public class No {\n/* class { */ package one.two;\n"
        'class Solution { String s = "} class \\" {"; char c = \'}\'; String t = """\n { " } """; '
        "static void main(String[] a) { } class Inner { } }\n"
    )
    read = read_java(text + JAVA_TESTS)
    assert (read.package, read.public, read.main) == ("one.two", "Main", "Main")
    assert read_java(text).main == "Solution"
    assert read_java("int x = 1;").main is None


def test_the_limits_in_the_manual_name_every_language() -> None:
    limits = (PROJECT_ROOT / "docs/models.md").read_text(encoding="utf-8").partition("## Limits")[2].lower()
    assert [name for name in ("python", *LANGUAGES) if f"{name} " not in limits] == []
