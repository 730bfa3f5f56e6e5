"""What stands around the tests in other languages: it takes the judge's secret before anything of the program runs,
and gives it back when the tests are through.

Both ways lead over standard input, a connection to the judge. The secret is in a local variable alone, and whoever
reads on finds the end. It sends "SECRET passed", or "SECRET raised LINE CLASS MESSAGE", where LINE is that of the
program's file that the exception came from; then the process ends, whatever else still runs in it.
"""

NAME = "Judge"

# In a package of its own, so that no class of the program can stand in for those of Java that it uses.
JAVA = """
package judging;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;

public final class Judge {
    public static void main(String[] none) throws Exception {
        FileOutputStream answer = new FileOutputStream(FileDescriptor.in);
        byte[] bytes = new byte[32];
        new DataInputStream(new FileInputStream(FileDescriptor.in)).readFully(bytes);
        String secret = new String(bytes, StandardCharsets.US_ASCII);
        System.setIn(new ByteArrayInputStream(new byte[0]));  // so that whoever closes it closes nothing of ours
        String said = "passed";
        try {
            Method tests = Class.forName("%(tests)s").getDeclaredMethod("main", String[].class);
            tests.setAccessible(true);
            tests.invoke(null, (Object) new String[0]);
            System.out.flush();
        } catch (InvocationTargetException error) {
            said = describe(error.getCause());
        } catch (Throwable error) {
            boolean isOuter = error instanceof ExceptionInInitializerError && error.getCause() != null;
            said = describe(isOuter ? error.getCause() : error);
        }
        answer.write((secret + " " + said).getBytes(StandardCharsets.UTF_8));
        Runtime.getRuntime().halt(said.equals("passed") ? 0 : 1);
    }

    private static String describe(Throwable error) {
        try {
            error.printStackTrace();
            String message = String.valueOf(error.getMessage());
            String text = error.getMessage() == null ? "" : message.substring(0, Math.min(message.length(), 1000));
            return "raised " + line(error) + " " + error.getClass().getName() + " " + text;
        } catch (Throwable other) {
            return "raised 0 " + error.getClass().getName() + " ";
        }
    }

    private static int line(Throwable error) {
        for (StackTraceElement frame : error.getStackTrace()) {
            if ("%(file)s".equals(frame.getFileName())) {
                return frame.getLineNumber();
            }
        }
        return 0;
    }
}
"""

JAVASCRIPT = """
'use strict';
const fs = require('fs');
(async () => {
  const write = fs.writeSync.bind(fs), leave = process.reallyExit.bind(process), bytes = Buffer.alloc(32);
  const file = require('path').resolve('program.js');
  let at = 0;
  while (at < 32) at += fs.readSync(0, bytes, at, 32 - at, null);
  const secret = bytes.toString('ascii');
  bytes.fill(0);
  const describe = (error) => {
    try {
      const stack = String(error && error.stack);
      console.error(stack);
      const found = stack.split('\\n').find((each) => each.includes(file + ':'));
      const line = found ? found.slice(found.indexOf(file) + file.length + 1).split(':')[0] : 0;
      const name = (error && error.constructor && error.constructor.name) || typeof error;
      return `raised ${line} ${name} ${String((error && error.message) || error).slice(0, 1000)}`;
    } catch {
      return 'raised 0 Error ';
    }
  };
  const end = (said) => {
    write(0, secret + ' ' + said);
    leave(said === 'passed' ? 0 : 1);
  };
  process.once('uncaughtException', (error) => end(describe(error)));
  try {
    await require(file);
    end('passed');
  } catch (error) {
    end(describe(error));
  }
})();
"""


def java_wrapper(tests: str, file: str) -> str:
    """The class judging.Judge around the main of the class ``tests``, which lies in ``file``."""
    return JAVA % {"tests": tests, "file": file}
