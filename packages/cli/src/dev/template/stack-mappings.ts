import { checkPattern } from '../patterns/matches.ts';
import type { TemplateFunction, TemplateMapping } from '../../template/template-model.ts';
import type { SqsTrigger, StreamTrigger } from '../stack.ts';
import { neededOf, type Reading, templateError, valueOf, whyNotTold, wholeOf } from './reading.ts';
import { localQueue } from './stack-asynchronous.ts';

const UNLIMITED = -1;
// https://docs.aws.amazon.com/lambda/latest/api/API_CreateEventSourceMapping.html
const BATCH_SIZE = [1, 10_000] as const;
const WINDOW_SECONDS = [0, 300] as const;
const CONCURRENCY = [2, 1_000] as const;

/** Returns the mappings of a function; adds a note for each whose source is not in the template. */
export function mappingsOf(
  reading: Reading,
  { id }: TemplateFunction,
): readonly (SqsTrigger | StreamTrigger)[] {
  return reading.model.mappings
    .filter(({ functionId }) => functionId === id)
    .flatMap((mapping) => stackMapping(reading, mapping) ?? []);
}

function stackMapping(reading: Reading, mapping: TemplateMapping): SqsTrigger | StreamTrigger | undefined {
  const { kind, name } = mapping;
  if (kind === 'kafka') {
    reading.notes.add(`${name} does not run here: it reads Kafka.`);
    return undefined;
  }
  const why = whyNotTold(mapping.sourceArn);
  if (why !== undefined) {
    reading.notes.add(`${name} does not run here: ${why}.`);
    return undefined;
  }
  const arn = valueOf(reading, mapping, mapping.sourceArn) ?? '';
  const sourceId = mapping.source.value;
  const isTableItself = kind === 'dynamodb' && !arn.includes('/stream/');
  if (sourceId === undefined || isTableItself) {
    const what = arn === '' ? 'its source' : arn;
    reading.notes.add(`${name} does not run here: ${what} is not a queue or stream of this template.`);
    return undefined;
  }
  if (kind === 'sqs') {
    return {
      kind,
      queueArn: reading.names.attribute(sourceId, 'Arn'),
      maximumConcurrency: wholeOf(reading, mapping, mapping.maximumConcurrency, CONCURRENCY),
      ...settingsOf(reading, mapping),
    };
  }
  if (mapping.hasConsumer) {
    reading.notes.add(`${name} reads its stream without the enhanced fan-out of its consumer.`);
  }
  const table = reading.model.tables.find(({ id }) => id === sourceId);
  if (table !== undefined && valueOf(reading, table, table.streamView) === undefined) {
    throw templateError(
      reading,
      mapping.line,
      `${name} reads ${table.name}, which has no stream: set its \`StreamSpecification\``,
    );
  }
  return streamTrigger(reading, mapping, kind, sourceId);
}

function streamTrigger(
  reading: Reading,
  mapping: TemplateMapping,
  kind: StreamTrigger['kind'],
  sourceId: string,
): StreamTrigger {
  const { name } = mapping;
  const start = neededOf(reading, mapping, mapping.startingPosition);
  if (start === 'AT_TIMESTAMP') {
    reading.notes.add(`${name} starts at the beginning of the stream, which is empty when it is made.`);
  }
  const parallelizationFactor = valueOf(reading, mapping, mapping.parallelizationFactor) ?? 1;
  if (parallelizationFactor > 1) {
    reading.notes.add(
      `${name} runs one batch of a shard at a time here, whatever its ParallelizationFactor.`,
    );
  }
  const age = valueOf(reading, mapping, mapping.maximumRecordAgeSeconds) ?? UNLIMITED;
  return {
    kind,
    streamArn: reading.names.attribute(sourceId, kind === 'dynamodb' ? 'StreamArn' : 'Arn'),
    ...settingsOf(reading, mapping),
    startingPosition: start === 'LATEST' ? 'LATEST' : 'TRIM_HORIZON',
    maximumRetries: valueOf(reading, mapping, mapping.retries) ?? UNLIMITED,
    maximumRecordAgeMs: age === UNLIMITED ? UNLIMITED : age * 1_000,
    bisectsOnError: valueOf(reading, mapping, mapping.bisects) ?? false,
    parallelizationFactor,
    onFailure: localQueue(reading, mapping, mapping.onFailure),
  };
}

function settingsOf(
  reading: Reading,
  mapping: TemplateMapping,
): Pick<SqsTrigger, 'id' | 'batchSize' | 'windowMs' | 'filters' | 'reportsBatchItemFailures' | 'isEnabled'> {
  const responseTypes = valueOf(reading, mapping, mapping.responseTypes) ?? [];
  if ((valueOf(reading, mapping, mapping.tumblingWindowSeconds) ?? 0) > 0) {
    reading.notes.add(`${mapping.name} runs without its tumbling window.`);
  }
  return {
    id: mapping.logicalId,
    batchSize: wholeOf(reading, mapping, mapping.batchSize, BATCH_SIZE) ?? 0,
    windowMs: (wholeOf(reading, mapping, mapping.windowSeconds, WINDOW_SECONDS) ?? 0) * 1_000,
    filters: mapping.filters.map((filter) => patternOf(reading, mapping, filter)),
    reportsBatchItemFailures: responseTypes.includes('ReportBatchItemFailures'),
    isEnabled: valueOf(reading, mapping, mapping.isEnabled) ?? true,
  };
}

function patternOf(
  reading: Reading,
  mapping: TemplateMapping,
  filter: TemplateMapping['filters'][number],
): unknown {
  const refused = (why: string): Error =>
    templateError(reading, filter.line, `a filter of ${mapping.name} is refused: ${why}`);
  let pattern: unknown;
  try {
    pattern = JSON.parse(valueOf(reading, mapping, filter) ?? '');
  } catch {
    throw refused('its `Pattern` is not JSON');
  }
  const why = checkPattern(pattern);
  if (why !== undefined) throw refused(why);
  return pattern;
}
