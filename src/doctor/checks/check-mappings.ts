import type { LambdaFunction, Mapping } from '../../template/model.ts';
import { daysOf } from './days-of.ts';
import type { Examination } from './examination.ts';

const LARGEST_FIFO_BATCH = 10;
/** More need a batching window: https://docs.aws.amazon.com/lambda/latest/api/API_CreateEventSourceMapping.html */
const LARGEST_BATCH_WITHOUT_WINDOW = 10;
/** https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html: "starting at five concurrent batches". */
const POLLERS_AT_START = 5;
/** A record that meets a lease twice still has an attempt left. */
const FEWEST_RETRIES = 3;

/** 14 days. */
const LONGEST_RETENTION_SECONDS = 1_209_600;

/** What an event source mapping must be. */
export function checkMappings(examination: Examination): void {
  for (const mapping of examination.model.mappings) {
    examination.checked('event source mapping', mapping);
    checkResponse(examination, mapping);
    if (mapping.kind === 'sqs') checkBatches(examination, mapping);
    else checkStream(examination, mapping);
    if (
      mapping.kind !== 'kafka' &&
      examination.known(mapping, 'MetricsConfig', mapping.hasMetrics) === false
    ) {
      examination.report('mapping-metrics-off', mapping, {
        message: `${mapping.name} has no metrics of its own.`,
        fix: 'MetricsConfig: { Metrics: [EventCount] }',
      });
    }
  }
  for (const lambda of examination.model.functions) checkConcurrency(examination, lambda);
}

function checkResponse(examination: Examination, mapping: Mapping): void {
  const types = examination.known(mapping, 'FunctionResponseTypes', mapping.responseTypes);
  if (types === undefined || types.includes('ReportBatchItemFailures')) return;
  if (types.includes('<?>')) {
    examination.cannotJudge(`${mapping.name}, FunctionResponseTypes: not all of them can be told`);
    return;
  }
  examination.report('report-batch-item-failures-off', mapping, {
    message: `${mapping.name} does not have \`ReportBatchItemFailures\`.`,
    fix: 'FunctionResponseTypes: [ReportBatchItemFailures]',
    line: mapping.responseTypes.line,
  });
}

function checkBatches(examination: Examination, mapping: Mapping): void {
  const size = examination.known(mapping, 'BatchSize', mapping.batchSize);
  const window = examination.known(mapping, 'MaximumBatchingWindowInSeconds', mapping.windowSeconds);
  if (examination.isFifo(mapping)) {
    if (window !== undefined && window > 0) {
      examination.report('fifo-batching-window', mapping, {
        message: `${mapping.name} has a batching window of ${window} s on a FIFO queue.`,
        fix: '# no MaximumBatchingWindowInSeconds',
        line: mapping.windowSeconds.line,
      });
    }
    if (size !== undefined && size > LARGEST_FIFO_BATCH) {
      examination.report('fifo-batch-size', mapping, {
        message: `${mapping.name} has a batch size of ${size} on a FIFO queue.`,
        fix: `BatchSize: ${LARGEST_FIFO_BATCH}`,
        line: mapping.batchSize.line,
      });
    }
  } else if (size !== undefined && size > LARGEST_BATCH_WITHOUT_WINDOW && window === 0) {
    examination.report('batch-size-needs-window', mapping, {
      message: `${mapping.name} has a batch size of ${size} and no batching window.`,
      fix: 'MaximumBatchingWindowInSeconds: 1',
      line: mapping.batchSize.line,
    });
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
    message: `${queue.name} keeps what ${mapping.name} gives up on for ${daysOf(kept)}.`,
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
      message: `${mapping.name} has no destination for what it gives up on.`,
      fix: 'DestinationConfig: { OnFailure: { Destination: !GetAtt FailedRecords.Arn } } # an AWS::SQS::Queue',
    });
  }
}

/** Of a FIFO queue no more run at a time than it has groups with messages, which nobody knows before. */
function checkConcurrency(examination: Examination, lambda: LambdaFunction): void {
  const mappings = examination.model.mappings.filter(
    (mapping) => mapping.kind === 'sqs' && mapping.functionId === lambda.id,
  );
  const reserved = examination.known(lambda, 'ReservedConcurrentExecutions', lambda.reservedConcurrency);
  if (reserved === undefined || mappings.length === 0) return;
  const provisioned = mappings.find(({ isProvisioned }) => isProvisioned.value === true);
  if (provisioned !== undefined) {
    examination.cannotJudge(
      `${lambda.name}, ReservedConcurrentExecutions: ${provisioned.name} has provisioned pollers`,
    );
    return;
  }
  const limits = mappings.map((mapping) =>
    examination.known(mapping, 'MaximumConcurrency', mapping.maximumConcurrency),
  );
  if (mappings.some(({ maximumConcurrency }) => maximumConcurrency.unknown !== undefined)) return;
  const started = limits.reduce<number>((sum, limit) => sum + (limit ?? POLLERS_AT_START), 0);
  const unlimited = mappings.find(
    (mapping, index) => limits[index] === undefined && !examination.isFifo(mapping),
  );
  if (reserved >= started && unlimited === undefined) return;
  const from = limits
    .map((limit) => (limit === undefined ? `${POLLERS_AT_START} at the start` : `${limit}`))
    .join(' + ');
  const room = Math.floor(reserved / mappings.length);
  examination.report('reserved-concurrency-too-low', lambda, {
    message:
      reserved < started
        ? `${lambda.name} may run ${reserved} times at once, and its queues start ${started} (${from}).`
        : `${lambda.name} may run ${reserved} times at once, and ${unlimited?.name ?? ''} has no \`MaximumConcurrency\`: Lambda goes on to 1,000.`,
    // MaximumConcurrency is from 2 to 1,000.
    fix:
      room < 2
        ? `ReservedConcurrentExecutions: ${Math.max(started, 2)}`
        : [
            `# in ${mappings.map(({ name }) => name).join('; ')}`,
            `ScalingConfig: { MaximumConcurrency: ${room} }`,
          ],
    fixBelongsTo: room < 2 ? 'properties' : 'none',
    line: lambda.reservedConcurrency.line,
    ...(reserved >= started && { severity: 'warning' as const }),
  });
}
