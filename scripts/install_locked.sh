#!/usr/bin/env bash
# Installs the packages of a lock file into an environment: by uv, which takes seconds, or by pip, which takes minutes,
# where uv can't be had or can't reach what pip reaches (it reads none of pip's settings).
# usage: install_locked.sh ENVIRONMENT UV LOCK-FILE
set -euo pipefail
environment=$1 uv=$2 lock=$3
options=(--quiet --no-deps --require-hashes --requirement "$lock")

if [ -x "$uv" ] && "$uv" pip install --python "$environment/bin/python" "${options[@]}" 2> "$environment/uv.log"; then
    exit 0
fi
echo "uv did not do it (see $environment/uv.log); pip does, which takes minutes"
exec "$environment/bin/python" -m pip install --disable-pip-version-check --no-input "${options[@]}"
