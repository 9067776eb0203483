#!/usr/bin/env bash
# Writes down, with versions and digests, all that the scripts and tests of this project install from PyPI and npm
# besides `npm ci`: scripts/pins/python/*.txt and scripts/pins/npm/*/package-lock.json. By hand, after a change of
# scripts/pins/python/*.in or scripts/pins/npm/*/package.json; what is written holds for every platform.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/pins"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/uv"
"$work/uv/bin/pip" install --quiet --disable-pip-version-check --no-deps --only-binary :all: --require-hashes -r python/uv.txt

for wanted in python/*.in; do
  # Wheels only: what is built from source would run code of build tools that nobody pinned.
  "$work/uv/bin/uv" pip compile --quiet --no-config --universal --python-version 3.10 --only-binary :all: \
    --generate-hashes --no-annotate --custom-compile-command scripts/pin.sh "$wanted" --output-file "${wanted%.in}.txt"
done

for folder in npm/*/; do
  # --force: the Node that runs npm is not the one that runs Stryker. The addresses would be this machine's registry.
  (cd "$folder" && npm install --package-lock-only --force --omit-lockfile-registry-resolved --silent)
done
