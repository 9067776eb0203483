import type { Mapping } from '../../template/model.ts';
import { daysOf } from '../days-of.ts';
import type { Examination } from '../examination.ts';
import type { Rules } from './rule.ts';

/** A record that meets another attempt's lease twice still has an attempt left. */
const FEWEST_RETRIES = 3;
/** 14 days. */
const LONGEST_RETENTION_SECONDS = 1_209_600;

/** Rules for streams and their functions. */
export const STREAM_RULES: Rules = {
  'stream-without-failure-destination': {
    severity: 'error',
    what: 'a stream mapping that gives up (`MaximumRetryAttempts`) without an on-failure destination',
    why: 'Records that Lambda gives up on are lost without a trace.',
    fix: '`DestinationConfig` with `OnFailure`',
    docs: 'sources/streams.md#the-event-source-mapping',
  },
  'stream-retries-unlimited': {
    severity: 'warning',
    what: 'a stream mapping without `MaximumRetryAttempts`',
    why: 'A record that fails for good blocks its shard or partition until it expires.',
    fix: '`MaximumRetryAttempts: 5`',
    docs: 'sources/streams.md#the-event-source-mapping',
  },
  'stream-retries-too-few': {
    severity: 'warning',
    what: '`MaximumRetryAttempts` of a stream mapping below 3',
    why: 'Conflicts with another attempt count as attempts.',
    fix: '`MaximumRetryAttempts: 5`',
    docs: 'sources/streams.md#the-event-source-mapping',
  },
  'stream-failure-queue-retention': {
    severity: 'warning',
    what: 'a failure queue of a stream mapping that keeps messages for less than 14 days',
    why: 'Its messages are the only list of the records that were given up.',
    fix: '`MessageRetentionPeriod: 1209600` on that queue',
    docs: 'sources/streams.md#the-event-source-mapping',
  },
  'stream-starts-at-latest': {
    severity: 'warning',
    what: 'a stream mapping with `StartingPosition: LATEST`',
    why: 'Lambda may take minutes to begin polling. Records that arrive meanwhile are never read.',
    fix: '`StartingPosition: TRIM_HORIZON`, or `AT_TIMESTAMP`',
    docs: 'sources/streams.md#the-event-source-mapping',
  },
  'stream-does-not-bisect': {
    severity: 'info',
    what: 'a stream mapping without `BisectBatchOnFunctionError`',
    why: 'A record that ends the process takes its whole batch along each time.',
    fix: '`BisectBatchOnFunctionError: true`',
    docs: 'sources/streams.md#the-event-source-mapping',
  },
  'tumbling-window': {
    severity: 'error',
    what: 'a tumbling window',
    why: 'batchlatch refuses such events: they pass a state from record to record.',
    fix: 'no `TumblingWindowInSeconds`',
    docs: 'sources/streams.md#limits',
  },
  'kafka-not-provisioned': {
    severity: 'error',
    what: 'a Kafka mapping without provisioned pollers',
    why: 'Partial batch responses need provisioned mode; otherwise failed records count as done.',
    fix: '`ProvisionedPollerConfig: { MinimumPollers: 1 }`',
    docs: 'sources/kafka.md#the-event-source-mapping',
  },
};

export function checkStreams(examination: Examination): void {
  for (const mapping of examination.model.mappings) {
    if (mapping.kind !== 'sqs') checkStream(examination, mapping);
  }
}

function checkStream(examination: Examination, mapping: Mapping): void {
  const retries = examination.known(mapping, 'MaximumRetryAttempts', mapping.retries);
  if (retries !== undefined) checkRetries(examination, mapping, retries);
  if ((examination.known(mapping, 'TumblingWindowInSeconds', mapping.tumblingWindowSeconds) ?? 0) > 0) {
    examination.report('tumbling-window', mapping, {
      message: `${mapping.name} has a tumbling window.`,
      fix: '# no TumblingWindowInSeconds',
      line: mapping.tumblingWindowSeconds.line,
    });
  }
  checkStart(examination, mapping);
  checkFailureQueue(examination, mapping);
  if (mapping.kind === 'kafka') {
    if (examination.known(mapping, 'ProvisionedPollerConfig', mapping.isProvisioned) !== false) return;
    examination.report('kafka-not-provisioned', mapping, {
      message: `${mapping.name} has no provisioned pollers.`,
      fix: 'ProvisionedPollerConfig: { MinimumPollers: 1 }',
    });
  } else if (examination.known(mapping, 'BisectBatchOnFunctionError', mapping.bisects) === false) {
    examination.report('stream-does-not-bisect', mapping, {
      message: `${mapping.name} does not split a batch that fails as a whole.`,
      fix: 'BisectBatchOnFunctionError: true',
      line: mapping.bisects.line,
    });
  }
}

function checkStart(examination: Examination, mapping: Mapping): void {
  if (examination.known(mapping, 'StartingPosition', mapping.startingPosition) !== 'LATEST') return;
  examination.report('stream-starts-at-latest', mapping, {
    message: `${mapping.name} starts at the newest record.`,
    fix: 'StartingPosition: TRIM_HORIZON',
    line: mapping.startingPosition.line,
  });
}

function checkFailureQueue(examination: Examination, mapping: Mapping): void {
  const queue = examination.queue(mapping.onFailure.value?.queueId);
  if (queue === undefined) return;
  const kept = examination.known(queue, 'MessageRetentionPeriod', queue.retentionSeconds);
  if (kept === undefined || kept >= LONGEST_RETENTION_SECONDS) return;
  examination.report('stream-failure-queue-retention', queue, {
    message: `${queue.name} keeps the failures of ${mapping.name} for ${daysOf(kept)}.`,
    fix: `MessageRetentionPeriod: ${LONGEST_RETENTION_SECONDS}`,
    line: queue.retentionSeconds.line,
  });
}

function checkRetries(examination: Examination, mapping: Mapping, retries: number): void {
  if (retries < 0) {
    examination.report('stream-retries-unlimited', mapping, {
      message: `${mapping.name} tries a record that fails until it expires.`,
      fix: [
        'MaximumRetryAttempts: 5',
        'DestinationConfig: { OnFailure: { Destination: !GetAtt FailedRecords.Arn } }',
      ],
      line: mapping.retries.line,
    });
    return;
  }
  if (retries < FEWEST_RETRIES) {
    examination.report('stream-retries-too-few', mapping, {
      message: `${mapping.name} gives up after ${retries} ${retries === 1 ? 'retry' : 'retries'}.`,
      fix: 'MaximumRetryAttempts: 5',
      line: mapping.retries.line,
    });
  }
  if (examination.lacks(mapping, 'DestinationConfig', mapping.onFailure)) {
    examination.report('stream-without-failure-destination', mapping, {
      message: `${mapping.name} has no destination for records that it gives up on.`,
      fix:
        'DestinationConfig: { OnFailure: { Destination: !GetAtt FailedRecords.Arn } } ' +
        '# an AWS::SQS::Queue',
    });
  }
}
