import type { LambdaFunction } from '../../template/model.ts';
import type { Examination } from '../examination.ts';
import type { Rules } from './rule.ts';

/**
 * "Starting at five concurrent batches":
 * https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html
 */
const POLLERS_AT_START = 5;

/** Rules for the reserved concurrency of a function and its queues. */
export const CONCURRENCY_RULES: Rules = {
  'reserved-concurrency-too-low': {
    severity: 'error',
    what:
      "reserved concurrency below what the function's mappings start: the sum of " +
      '`MaximumConcurrency`, 5 for each that has none (a warning where reserved ' +
      'concurrency is set and a standard queue has no `MaximumConcurrency`)',
    why:
      'Lambda polls more than it may run. Throttled messages use up receives, and end in the ' +
      'dead-letter queue without having run.',
    fix: '`ScalingConfig: { MaximumConcurrency: … }` on the mapping, at most the reserved concurrency',
  },
};

export function checkReservedConcurrency(examination: Examination): void {
  for (const lambda of examination.model.functions) checkConcurrency(examination, lambda);
}

/** Does not require `MaximumConcurrency` of FIFO queues: they run one batch per message group at most. */
function checkConcurrency(examination: Examination, lambda: LambdaFunction): void {
  // A mapping that is switched off starts nothing.
  const mappings = examination.model.mappings.filter(
    ({ kind, functionId, isEnabled }) =>
      kind === 'sqs' && functionId === lambda.id && isEnabled.value !== false,
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
  // One that may not exist counts, but not together with one under another condition.
  const conditions = mappings.flatMap(
    ({ id, isEnabled, condition }) => condition ?? (isEnabled.unknown === undefined ? [] : id),
  );
  if (new Set(conditions).size > 1) {
    examination.cannotJudge(
      `${lambda.name}, ReservedConcurrentExecutions: it cannot be told which of its mappings ` +
        'poll at the same time',
    );
    return;
  }
  const limits = mappings.map((mapping) =>
    examination.known(mapping, 'MaximumConcurrency', mapping.maximumConcurrency),
  );
  if (mappings.some(({ maximumConcurrency }) => maximumConcurrency.unknown !== undefined)) return;
  const started = limits.reduce<number>((sum, limit) => sum + (limit ?? POLLERS_AT_START), 0);
  const unlimited = mappings.find(
    (mapping, index) => limits[index] === undefined && examination.isFifo(mapping) === false,
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
        : `${lambda.name} may run ${reserved} times at once, and ${unlimited?.name ?? ''} has no ` +
          '`MaximumConcurrency`: Lambda goes on to 1,000.',
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
