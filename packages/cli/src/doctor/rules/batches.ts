import type { Mapping } from '../../template/model.ts';
import type { Examination } from '../examination.ts';
import type { Rules } from './rule.ts';

const LARGEST_FIFO_BATCH = 10;
/**
 * Larger batches need a window:
 * https://docs.aws.amazon.com/lambda/latest/api/API_CreateEventSourceMapping.html
 */
const LARGEST_BATCH_WITHOUT_WINDOW = 10;

/** Rules for the batches of event source mappings, and their responses. */
export const BATCH_RULES: Rules = {
  'report-batch-item-failures-off': {
    severity: 'error',
    what: 'an event source mapping without `ReportBatchItemFailures`',
    why: 'Lambda takes every batch for a success, so failed records are lost.',
    fix: '`FunctionResponseTypes: [ReportBatchItemFailures]`',
    docs: 'deploying.md#what-a-function-needs',
  },
  'fifo-batching-window': {
    severity: 'error',
    what: 'a batching window on a FIFO queue',
    why: 'Lambda refuses it: FIFO queues have no batching window.',
    fix: 'no `MaximumBatchingWindowInSeconds`',
  },
  'fifo-batch-size': {
    severity: 'error',
    what: 'a batch size over 10 on a FIFO queue',
    why: 'Lambda refuses it: a batch of a FIFO queue has at most 10 messages.',
    fix: '`BatchSize: 10`',
  },
  'batch-size-needs-window': {
    severity: 'error',
    what: 'a batch size over 10 on a standard queue without a batching window',
    why: 'Lambda refuses it: more than 10 messages need a window of at least a second.',
    fix: '`MaximumBatchingWindowInSeconds: 1`, or `BatchSize: 10`',
  },
  'mapping-metrics-off': {
    severity: 'info',
    isOptional: true,
    what: 'an event source mapping without metrics',
    why: 'Nothing shows how many messages were polled, filtered, failed or dropped.',
    fix: '`MetricsConfig: { Metrics: [EventCount] }`',
  },
};

export function checkBatches(examination: Examination): void {
  for (const mapping of examination.model.mappings) {
    examination.checked('event source mapping', mapping);
    checkResponse(examination, mapping);
    if (mapping.kind === 'sqs') checkSize(examination, mapping);
    if (mapping.kind !== 'kafka') checkMetrics(examination, mapping);
  }
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

function checkSize(examination: Examination, mapping: Mapping): void {
  const size = examination.known(mapping, 'BatchSize', mapping.batchSize);
  const window = examination.known(mapping, 'MaximumBatchingWindowInSeconds', mapping.windowSeconds);
  if (examination.isFifo(mapping) === true) {
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

function checkMetrics(examination: Examination, mapping: Mapping): void {
  if (examination.known(mapping, 'MetricsConfig', mapping.hasMetrics) !== false) return;
  examination.report('mapping-metrics-off', mapping, {
    message: `${mapping.name} has no metrics of its own.`,
    fix: 'MetricsConfig: { Metrics: [EventCount] }',
  });
}
