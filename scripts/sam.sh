#!/usr/bin/env bash
# Checks and builds the SAM templates with SAM CLI, at versions of its own. No credentials are needed.
#
#   scripts/sam.sh setup                        installs SAM CLI and cfn-lint for Python 3, once (the others call it)
#   scripts/sam.sh templates                    prints the templates of this repository, a line for each
#   scripts/sam.sh validate [template]          sam validate --lint
#   scripts/sam.sh build [template] [options]   sam build: bundles the functions into .aws-sam/build, those of
#                                               examples/NAME/template.yaml into .aws-sam/NAME
#   scripts/sam.sh lint [template]              cfn-lint alone, for CloudFormation without SAM
#   scripts/sam.sh expand [template]            prints the template as CloudFormation will see it, and lints that too:
#                                               the linter hardly looks into AWS::Serverless resources until they are
#                                               expanded
#
# The template is template.yaml where none is named. SAM CLI and cfn-lint live in $BATCHLATCH_CACHE (default: ~/.cache/batchlatch).
set -euo pipefail

# What is installed, by version and digest; scripts/pin.sh writes it.
readonly pins=scripts/pins/python/sam.txt
readonly venv=${BATCHLATCH_CACHE:-$HOME/.cache/batchlatch}/sam
export SAM_CLI_TELEMETRY=0 AWS_DEFAULT_REGION=${AWS_DEFAULT_REGION:-us-east-1}

usage() {
  sed -n '2,15s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
}

setup() {
  if is_installed; then return; fi
  mkdir -p "$(dirname "$venv")"
  {
    # Another checkout on this machine may install at the same moment.
    python3 -c 'import fcntl; fcntl.flock(9, fcntl.LOCK_EX)'
    if is_installed; then return; fi
    echo "Installing SAM CLI and cfn-lint into $venv" >&2
    python3 -m venv --clear "$venv"
    # The lists are complete, hence --no-deps. Python compiles what is used when it is first used, which is little of it.
    local pinned=(--no-deps --only-binary :all: --quiet)
    local pip=("$venv/bin/python" -m pip install --require-hashes --disable-pip-version-check --no-compile "${pinned[@]}")
    "${pip[@]}" -r scripts/pins/python/uv.txt
    # It takes a fifth of pip's time, and does not read pip's settings, such as a mirror.
    "$venv/bin/uv" pip install --require-hashes --no-cache --python "$venv/bin/python" "${pinned[@]}" -r "$pins" ||
      "${pip[@]}" -r "$pins"
    cp "$pins" "$venv/installed"
  } 9>"$venv.lock"
}

is_installed() {
  cmp -s "$pins" "$venv/installed"
}

templates() {
  ls template.yaml examples/*/template.yaml
}

validate() {
  "$venv/bin/sam" validate --lint --template "$template"
}

lint() {
  "$venv/bin/cfn-lint" --template "$template" --regions us-east-1
}

build() {
  if [[ ! -x node_modules/.bin/esbuild ]]; then
    echo "esbuild is missing: run \`npm ci\` first" >&2
    return 1
  fi
  local folder=build
  if [[ $template != template.yaml ]]; then folder=$(basename "$(dirname "$template")"); fi
  # SAM CLI looks for its configuration beside the template.
  "$venv/bin/sam" build --template "$template" --config-file "$PWD/samconfig.toml" --build-dir ".aws-sam/$folder" "$@"
}

expand() {
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  local expanded=$work/template.json
  "$venv/bin/python" - "$template" >"$expanded" <<'PYTHON'
import json, sys
from samcli.commands.validate.lib.exceptions import InvalidSamDocumentException
from samcli.lib.translate.sam_template_validator import SamTemplateValidator
from samcli.yamlhelper import yaml_parse


class NoPolicies:
    """The policies SAM itself uses come with it; any other would be asked of AWS, and is given as an ARN instead."""

    def load(self):
        return {}


with open(sys.argv[1], encoding="utf-8") as template:
    validator = SamTemplateValidator(yaml_parse(template.read()), NoPolicies(), region="us-east-1")
try:
    expanded = yaml_parse(validator.get_translated_template_if_valid())
except InvalidSamDocumentException as error:
    sys.exit(str(error))
json.dump(expanded, sys.stdout, indent=2)
print()
PYTHON
  cat "$expanded"
  "$venv/bin/cfn-lint" --template "$expanded" --regions us-east-1 >&2
}

cd "$(dirname "${BASH_SOURCE[0]}")/.."
case ${1:-} in
  setup) setup ;;
  templates) templates ;;
  validate | lint | build | expand)
    setup
    command=$1
    shift
    template=template.yaml
    if [[ ${1:-} == *.yaml ]]; then
      template=$1
      shift
    fi
    "$command" "$@"
    ;;
  -h | --help) usage ;;
  *)
    usage >&2
    exit 2
    ;;
esac
