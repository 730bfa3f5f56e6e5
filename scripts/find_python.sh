#!/bin/sh
# Prints a Python that can make CodeJury's environment: 3.11 or newer, with venv. usage: find_python.sh [CHOSEN]
# Each candidate is tried, not only looked up: a version manager's shim may stand there and yet not run.
for python in "$1" python3 python3.13 python3.12 python3.11 python3.14 python; do
    if [ -n "$python" ] && "$python" -c '
import sys
assert sys.version_info >= (3, 11)
import ensurepip, venv' 2> /dev/null; then
        echo "$python"
        exit 0
    fi
done
cat >&2 << 'MESSAGE'
CodeJury needs Python 3.11 or newer with its venv module, and none was found on this machine.
  Debian, Ubuntu:  sudo apt-get install python3 python3-venv
  Fedora:          sudo dnf install python3
  macOS:           brew install python
  elsewhere:       https://www.python.org/downloads/
A Python that lies in another place can be named: make PYTHON=/path/to/python3 setup
MESSAGE
exit 1
