import { checkPattern } from '../patterns/matches.ts';
import type { DevTrigger, StreamTrigger } from '../stack.ts';
import { asBoolean, asList, asText, member } from '../../template/values.ts';
import { onFailureQueue } from './read-asynchronous.ts';
import {
  booleanOf,
  neededText,
  numberOf,
  QUEUE_TYPES,
  type Reading,
  type Source,
  TABLE_TYPES,
  templateError,
  textOf,
  withArn,
} from './reading.ts';

const SQS_BATCH = 10;
const STREAM_BATCH = 100;
const UNLIMITED = -1;

/** An event source mapping, of SAM or a resource of its own; nothing, with a note, where its source is not here. */
export function readMapping(
  reading: Reading,
  source: Source,
  id: string,
  property: string,
): readonly DevTrigger[] {
  const arn = textOf(reading, source, [property], '');
  const isHere = (types: readonly string[], of: string): boolean => withArn(reading, of, types) !== undefined;
  if (isHere(QUEUE_TYPES, arn)) {
    const concurrency = numberOf(reading, source, ['ScalingConfig', 'MaximumConcurrency'], UNLIMITED);
    return [
      {
        kind: 'sqs',
        queueArn: arn,
        maximumConcurrency: concurrency === UNLIMITED ? undefined : concurrency,
        ...settings(reading, source, id, SQS_BATCH),
      },
    ];
  }
  if (isHere(['AWS::Kinesis::Stream'], arn)) return [stream(reading, source, id, 'kinesis', arn)];
  const consumer = withArn(reading, arn, ['AWS::Kinesis::StreamConsumer']);
  const consumed = asText(consumer?.value['StreamARN']);
  if (consumed !== undefined && isHere(['AWS::Kinesis::Stream'], consumed)) {
    reading.notes.add(`${source.name} reads its stream without the enhanced fan-out of its consumer.`);
    return [stream(reading, source, id, 'kinesis', consumed)];
  }
  const [tableArn = ''] = arn.split('/stream/');
  const table = tableArn === arn ? undefined : withArn(reading, tableArn, TABLE_TYPES);
  if (table !== undefined) {
    if (table.value['StreamSpecification'] === undefined) {
      throw templateError(
        reading,
        source.place.line,
        `${source.name} reads ${table.name}, which has no stream`,
      );
    }
    return [stream(reading, source, id, 'dynamodb', arn)];
  }
  const what = arn === '' ? 'its source' : arn;
  reading.notes.add(`${source.name} does not run here: ${what} is no queue or stream of this template.`);
  return [];
}

function stream(
  reading: Reading,
  source: Source,
  id: string,
  kind: StreamTrigger['kind'],
  streamArn: string,
): StreamTrigger {
  const start = neededText(reading, source, ['StartingPosition']);
  if (start === 'AT_TIMESTAMP') {
    reading.notes.add(
      `${source.name} starts at the beginning of the stream, which is empty when it is made.`,
    );
  }
  const parallelizationFactor = numberOf(reading, source, ['ParallelizationFactor'], 1);
  if (parallelizationFactor > 1) {
    reading.notes.add(
      `${source.name} runs one batch of a shard at a time here, whatever its ParallelizationFactor.`,
    );
  }
  const age = numberOf(reading, source, ['MaximumRecordAgeInSeconds'], UNLIMITED);
  return {
    kind,
    streamArn,
    ...settings(reading, source, id, STREAM_BATCH),
    startingPosition: start === 'LATEST' ? 'LATEST' : 'TRIM_HORIZON',
    maximumRetries: numberOf(reading, source, ['MaximumRetryAttempts'], UNLIMITED),
    maximumRecordAgeMs: age === UNLIMITED ? UNLIMITED : age * 1_000,
    bisectsOnError: booleanOf(reading, source, ['BisectBatchOnFunctionError'], false),
    parallelizationFactor,
    onFailure: onFailureQueue(reading, source),
  };
}

function settings(
  reading: Reading,
  source: Source,
  id: string,
  batchSize: number,
): Pick<
  StreamTrigger,
  'id' | 'batchSize' | 'windowMs' | 'filters' | 'reportsBatchItemFailures' | 'isEnabled'
> {
  const responseTypes = asList(source.place.value['FunctionResponseTypes']).map(asText);
  if (numberOf(reading, source, ['TumblingWindowInSeconds'], 0) > 0) {
    reading.notes.add(`${source.name} runs without its tumbling window.`);
  }
  return {
    id,
    batchSize: numberOf(reading, source, ['BatchSize'], batchSize),
    windowMs: numberOf(reading, source, ['MaximumBatchingWindowInSeconds'], 0) * 1_000,
    filters: filters(reading, source),
    reportsBatchItemFailures: responseTypes.includes('ReportBatchItemFailures'),
    isEnabled: asBoolean(source.place.value['Enabled']) ?? true,
  };
}

function filters(reading: Reading, { place, name }: Source): readonly unknown[] {
  return asList(member(place.value, 'FilterCriteria', 'Filters')).map((filter) => {
    const text = asText(member(filter, 'Pattern')) ?? '';
    const refused = (why: string): Error =>
      templateError(reading, place.lineOf(['FilterCriteria']), `a filter of ${name} is refused: ${why}`);
    let pattern: unknown;
    try {
      pattern = JSON.parse(text);
    } catch {
      throw refused('its `Pattern` is no text of JSON');
    }
    const why = checkPattern(pattern);
    if (why !== undefined) throw refused(why);
    return pattern;
  });
}
