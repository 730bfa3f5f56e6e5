"""Programs in other languages, each with the one verdict that is right. The task is always add(a, b)."""

from dataclasses import dataclass

from app.execution.protocol import Limits, Program, Verdict

JAVA_HEAD = "import java.util.*;\n\nclass Solution {\n    public int add(int a, int b) {\n"
JAVA_TESTS = """
public class Main {
    public static void main(String[] args) {
        Solution solution = new Solution();
        if (solution.add(1, 2) != 3) {
            throw new AssertionError("one and two");
        }
        assert solution.add(-5, 5) == 0 : "minus five and five";
    }
}
"""
JAVASCRIPT_TESTS = """
const assert = require('node:assert');
assert.equal(add(1, 2), 3);
assert.equal(add(-5, 5), 0);
"""
USUAL = Limits(cpu=10, wall=30, memory=256 << 20)


@dataclass(frozen=True)
class InLanguage:
    """What a model wrote, what must come of it, and a part of the reason."""

    name: str
    language: str
    expected: Verdict
    body: str
    reason: str = ""
    limits: Limits = USUAL

    @property
    def program(self) -> Program:
        if self.language == "java":
            source = f"{JAVA_HEAD}{self.body}\n    }}\n}}\n"
            return Program(source, JAVA_TESTS, None, language="java", limits=self.limits)
        source = f"function add(a, b) {{\n{self.body}\n}}\n"
        return Program(source, JAVASCRIPT_TESTS, None, language="javascript", limits=self.limits)


PASSED, FAILED, ERROR, TIMEOUT, MEMORY, BLOCKED = (
    *(Verdict.PASSED, Verdict.FAILED, Verdict.ERROR),
    *(Verdict.TIMEOUT, Verdict.MEMORY, Verdict.BLOCKED),
)
READ_JAVA = """
        StringBuilder found = new StringBuilder();
        for (String name : System.getenv().keySet()) {
            if (name.contains("PLANTED")) { found.append(name); }
        }
        String[] paths = {"%(secret)s", "/etc/shadow", "/etc/passwd", "/proc/self/environ", "/proc/1/environ"};
        for (String path : paths) {
            try {
                found.append(new String(java.nio.file.Files.readAllBytes(java.nio.file.Path.of(path))));
            } catch (java.io.IOException error) {
                continue;
            }
        }
        if (found.length() > 0) { throw new IllegalStateException("it read " + found); }
        return a + b;
"""
JAVA = [
    InLanguage("correct", "java", PASSED, "return a + b;"),
    InLanguage(
        "wrong", "java", FAILED, "return a - b;", "line 6 of the tests: java.lang.AssertionError: one and two"
    ),
    InLanguage("wrong_later", "java", FAILED, "return a == 1 ? 3 : 1;", "minus five and five"),
    InLanguage("raises", "java", ERROR, 'throw new IllegalStateException("not today");', "not today"),
    InLanguage("own_assertion", "java", ERROR, 'throw new AssertionError("mine");', "AssertionError: mine"),
    InLanguage("does_not_compile", "java", ERROR, "return a +;", "does not compile: Main.java:5: error"),
    InLanguage("exits_with_zero", "java", ERROR, "System.exit(0); return a + b;", "left with code 0"),
    InLanguage("halts_with_zero", "java", ERROR, "Runtime.getRuntime().halt(0); return 0;", "left with code 0"),
    InLanguage(
        "says_that_it_passed",
        "java",
        ERROR,
        """
        java.io.FileDescriptor[] all = {java.io.FileDescriptor.in, java.io.FileDescriptor.out};
        for (java.io.FileDescriptor each : all) {
            try {
                byte[] secret = new byte[32];
                int length = new java.io.FileInputStream(java.io.FileDescriptor.in).read(secret);
                if (length > 0) { return a + b; }
                new java.io.FileOutputStream(each).write("00000000000000000000000000000000 passed".getBytes());
            } catch (java.io.IOException error) {
                continue;
            }
        }
        System.exit(0);
        return 0;
        """,
        "left with code 0",
    ),
    InLanguage(
        "looks_for_the_secret",
        "java",
        PASSED,
        """
        try {
            for (java.lang.reflect.Field field : Class.forName("judging.Judge").getDeclaredFields()) {
                return 7;
            }
        } catch (ClassNotFoundException error) {
            return 8;
        }
        return a + b;
        """,
    ),
    InLanguage("recursion", "java", ERROR, "return add(a, b);", "StackOverflowError"),
    InLanguage(
        "busy_loop",
        "java",
        TIMEOUT,
        "while (true) { a++; }",
        "processor time",
        Limits(cpu=1, wall=20, memory=256 << 20),
    ),
    InLanguage(
        "sleeper",
        "java",
        TIMEOUT,
        "try { Thread.sleep(100000); } catch (InterruptedException error) { return 0; } return a + b;",
        "by the clock",
        Limits(cpu=10, wall=1.5, memory=256 << 20),
    ),
    InLanguage(
        "memory_bomb",
        "java",
        MEMORY,
        "List<byte[]> all = new ArrayList<>(); while (true) { all.add(new byte[8 << 20]); }",
        "OutOfMemoryError",
        Limits(cpu=10, wall=30, memory=128 << 20),
    ),
    InLanguage(
        "memory_bomb_caught",
        "java",
        PASSED,
        "try { long[] all = new long[1 << 29]; return all.length; } catch (OutOfMemoryError error) { return a + b; }",
    ),
    InLanguage(
        "memory_beside_the_heap",
        "java",
        MEMORY,
        "List<Object> all = new ArrayList<>();while (true) { all.add(java.nio.ByteBuffer.allocateDirect(8 << 20)); }",
        "OutOfMemoryError",
        Limits(cpu=10, wall=30, memory=128 << 20),
    ),
    InLanguage(
        "connects",
        "java",
        BLOCKED,
        'try { new java.net.Socket("127.0.0.1", 6379); } catch (java.io.IOException error) {'
        " throw new RuntimeException(error); } return a + b;",
        "java.lang.RuntimeException",
    ),
    InLanguage(
        "starts_a_program",
        "java",
        BLOCKED,
        'try { new ProcessBuilder("/bin/true").start(); } catch (java.io.IOException error) {'
        " throw new RuntimeException(error); } return a + b;",
        "Operation not permitted",
    ),
    InLanguage("flood", "java", ERROR, 'while (true) { System.out.println("y".repeat(4096)); }', "more output"),
    InLanguage(
        "floods_the_judge",
        "java",
        ERROR,
        "try { java.io.FileOutputStream out = new java.io.FileOutputStream(java.io.FileDescriptor.in);"
        " while (true) { out.write(new byte[4096]); } } catch (java.io.IOException error) { return 0; }",
        "more than anybody honest",
    ),
    InLanguage(
        "a_thread_outlives",
        "java",
        PASSED,
        "new Thread(() -> { try { Thread.sleep(300000); } catch (InterruptedException e) { return; } }).start();"
        " return a + b;",
    ),
    InLanguage(
        "closes_its_input", "java", PASSED, "new Scanner(System.in).close(); System.out.close(); return a + b;"
    ),
    InLanguage("uses_cryptography", "java", PASSED, "UUID.randomUUID(); return a + b;"),
]
JAVASCRIPT = [
    InLanguage("correct", "javascript", PASSED, "return a + b;"),
    InLanguage("wrong", "javascript", FAILED, "return a - b;", "of the tests: AssertionError"),
    InLanguage("raises", "javascript", ERROR, "throw new TypeError('not today');", "TypeError: not today"),
    InLanguage("syntax", "javascript", ERROR, "return a +;", "SyntaxError"),
    InLanguage("exits_with_zero", "javascript", ERROR, "process.exit(0);", "left with code 0"),
    InLanguage(
        "busy_loop", "javascript", TIMEOUT, "for (;;) {}", "processor", Limits(cpu=1, wall=20, memory=256 << 20)
    ),
    InLanguage("memory_bomb", "javascript", MEMORY, "const all = []; for (;;) all.push(new Array(1e6).fill(a));"),
    InLanguage(
        "starts_a_program",
        "javascript",
        BLOCKED,
        "require('child_process').execFileSync('/bin/true'); return a + b;",
        "EPERM",
    ),
    InLanguage("flood", "javascript", ERROR, "for (;;) require('fs').writeSync(1, 'y'.repeat(4096));", "more output"),
]
