#!/usr/bin/env bash
# Repeats, on real AWS, what the tests otherwise show on emulators: the conformance suite of the claim store on a DynamoDB table, in
# both writing modes, and 100 messages end to end through an SQS queue, a worker and a dead-letter queue.
#
#   scripts/aws-check.sh          says what it will create and what that costs, asks, creates it, tests, deletes it
#   scripts/aws-check.sh --yes    does not ask
#   scripts/aws-check.sh --help   prints this
#
# It needs `npm ci`, a region (AWS_REGION or AWS_DEFAULT_REGION) and credentials, as AWS's SDK finds them: environment, profile,
# SSO or role. They must allow dynamodb:CreateTable, DescribeTable, DeleteTable, PartiQLInsert, PartiQLUpdate, PartiQLSelect, PartiQLDelete,
# BatchGetItem, GetItem, PutItem, UpdateItem, DeleteItem, ConditionCheckItem, Query and Scan, and sqs:CreateQueue, GetQueueAttributes, GetQueueUrl,
# SendMessage, ReceiveMessage, DeleteMessage, ChangeMessageVisibility and DeleteQueue, on names that begin with `batchlatch-check-`.
#
# What was created is deleted at the end, also after a failure, Ctrl-C or SIGTERM. If the machine fails meanwhile, delete what has that prefix by hand.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
  sed -n '2,16s/^# \{0,1\}//p' scripts/aws-check.sh
}

ask=true
for argument in "$@"; do
  case $argument in
    --yes) ask=false ;;
    --help | -h)
      usage
      exit 0
      ;;
    *)
      echo "Unknown option: $argument. \`scripts/aws-check.sh --help\` says what there is." >&2
      exit 2
      ;;
  esac
done

resources() {
  node --import tsx scripts/aws-check-resources.ts "$@"
}

export AWS_REGION=${AWS_REGION:-${AWS_DEFAULT_REGION:-}}
export AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED=true
if [[ -z $AWS_REGION ]]; then
  echo 'There is no region: set AWS_REGION, such as AWS_REGION=eu-central-1.' >&2
  exit 1
fi
resources check

prefix=batchlatch-check-$(date +%s)-$$
cat <<TEXT
In $AWS_REGION${AWS_ENDPOINT_URL:+, at $AWS_ENDPOINT_URL}, this creates, and deletes at the end:

  $prefix-claims         a DynamoDB table, on demand
  $prefix-indexed        the same with the index of open claims
  $prefix-effects        a DynamoDB table, on demand
  $prefix-orders         an SQS queue
  $prefix-orders-dead    its dead-letter queue

At most, at the list prices of us-east-1 (2026-11-22), without free tiers:

  10,000 write request units × \$0.625 per million   \$0.0063
  70,000 read request units  × \$0.125 per million   \$0.0088
   3,000 requests to SQS     × \$0.40 per million    \$0.0012
                                           together  \$0.0163

It takes about two minutes.
TEXT
if $ask; then
  read -r -p 'Go on? [y/N] ' answer || answer=''
  if [[ $answer != [yY]* ]]; then
    echo 'Nothing was created.'
    exit 1
  fi
fi

tests=''
finish() {
  local status=$?
  trap - EXIT
  trap '' HUP INT TERM # a second Ctrl-C must not keep anything from being deleted
  if [[ -n $tests ]]; then
    kill "$tests" 2>/dev/null || true
    wait "$tests" 2>/dev/null || true
  fi
  if ! resources delete "$prefix"; then
    echo "Not everything was deleted: delete what begins with $prefix by hand." >&2
    status=1
  fi
  exit "$status"
}
trap finish EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

resources create "$prefix"
export BATCHLATCH_AWS_CHECK=$prefix
node --experimental-vm-modules --disable-warning=ExperimentalWarning node_modules/jest/bin/jest.js --selectProjects aws-check --testTimeout=120000 --runInBand &
tests=$!
status=0
wait "$tests" || status=$?
tests=''
exit "$status"
