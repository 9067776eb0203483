import type { Destination, LambdaFunction, Mapping, MappingKind, Setting } from '../../template/model.ts';
import type { EventSourceMapping, IamReader, LambdaReader } from './clients.ts';
import type { LiveReading } from './live-reading.ts';
import { readLiveRole } from './live-role.ts';

const DEFAULT_RETRIES = 2;
const MOST_PAGES = 20;

/**
 * Reads a function, by its name or ARN, and its role. Throws a `ConfigurationError` if it does not exist,
 * unless only a mapping names it: mappings outlive their functions.
 */
export async function readLiveFunction(
  { lambda, iam }: { readonly lambda: LambdaReader; readonly iam: IamReader | undefined },
  FunctionName: string,
  reading: LiveReading,
  ofMapping = false,
): Promise<LambdaFunction | undefined> {
  const input = { FunctionName };
  const found = await reading[ofMapping ? 'optional' : 'named'](
    `function ${FunctionName}`,
    'lambda:GetFunctionConfiguration',
    () => lambda.getFunctionConfiguration(input),
  );
  if (found === undefined) return undefined;
  const name = found.FunctionName ?? FunctionName;
  const concurrency = await reading.optional(`function ${name}`, 'lambda:GetFunctionConcurrency', () =>
    lambda.getFunctionConcurrency({ FunctionName: unqualified(FunctionName) }),
  );
  const asynchronous = await reading.optional(`function ${name}`, 'lambda:GetFunctionEventInvokeConfig', () =>
    lambda.getFunctionEventInvokeConfig(input),
  );
  const environment = new Map(Object.entries(found.Environment?.Variables ?? {}));
  const milliseconds = (variable: RegExp): number | undefined => {
    const value = Number([...environment].find(([key]) => variable.test(key))?.[1]);
    return Number.isFinite(value) ? value : undefined;
  };
  return {
    id: name,
    name,
    ignore: new Set(),
    timeoutSeconds: { value: found.Timeout },
    runtime: { value: found.Runtime },
    reservedConcurrency: { value: concurrency?.ReservedConcurrentExecutions },
    environment: { value: environment },
    role: await readLiveRole(iam, found.Role, reading),
    asynchronous: {
      retries: { value: asynchronous?.MaximumRetryAttempts ?? DEFAULT_RETRIES },
      deadLetterQueue: destinationOf(found.DeadLetterConfig?.TargetArn),
      onFailure: destinationOf(asynchronous?.DestinationConfig?.OnFailure?.Destination),
    },
    options: {
      leaseMs: { value: milliseconds(/(?:^|_)LEASE_MS$/i) },
      retentionMs: { value: milliseconds(/(?:^|_)RETENTION_MS$/i) },
      writes: undefined,
      key: undefined,
    },
    logGroup: found.LoggingConfig?.LogGroup ?? `/aws/lambda/${name}`,
  };
}

/** Returns a name or ARN without alias or version: concurrency is reserved for a function as a whole. */
function unqualified(functionName: string): string {
  return /^(?:(?:.*:)?function:)?[^:]+/.exec(functionName)?.[0] ?? functionName;
}

/** Reads the event source mappings of a function or a queue. */
export async function readLiveMappings(
  lambda: LambdaReader,
  of: { readonly FunctionName: string } | { readonly EventSourceArn: string },
  reading: LiveReading,
): Promise<readonly Mapping[]> {
  const found = await reading.optional(
    'event source mappings',
    'lambda:ListEventSourceMappings',
    async () => {
      const mappings: EventSourceMapping[] = [];
      let Marker: string | undefined;
      for (let page = 0; page < MOST_PAGES; page += 1) {
        const answer = await lambda.listEventSourceMappings({
          ...of,
          ...(Marker !== undefined && { Marker }),
        });
        mappings.push(...(answer.EventSourceMappings ?? []));
        Marker = answer.NextMarker;
        if (Marker === undefined || Marker === '') break;
      }
      return mappings;
    },
  );
  return (found ?? []).flatMap((mapping) => {
    const kind = kindOf(mapping);
    if (kind !== undefined) return [mappingOf(mapping, kind)];
    reading.skipped.push(
      `event source mapping ${mapping.UUID ?? ''}: its source is not one that batchlatch reads`,
    );
    return [];
  });
}

const KINDS: readonly MappingKind[] = ['sqs', 'kinesis', 'dynamodb', 'kafka'];

function kindOf({ EventSourceArn, SelfManagedEventSource }: EventSourceMapping): MappingKind | undefined {
  if (SelfManagedEventSource !== undefined && EventSourceArn === undefined) return 'kafka';
  const service = EventSourceArn?.split(':')[2];
  return KINDS.find((kind) => kind === service);
}

function mappingOf(mapping: EventSourceMapping, kind: MappingKind): Mapping {
  const arn = mapping.EventSourceArn ?? '';
  const functionName = functionNameOf(mapping.FunctionArn ?? '');
  return {
    id: mapping.UUID ?? arn,
    name: `${functionName}, event source mapping ${mapping.UUID ?? ''} of ${arn.split(':').at(-1) ?? ''}`,
    ignore: new Set(),
    kind,
    functionId: functionName,
    source: { value: arn },
    isFifo: arn.endsWith('.fifo'),
    responseTypes: { value: mapping.FunctionResponseTypes ?? [] },
    batchSize: { value: mapping.BatchSize },
    windowSeconds: { value: mapping.MaximumBatchingWindowInSeconds ?? 0 },
    maximumConcurrency: { value: mapping.ScalingConfig?.MaximumConcurrency },
    retries: { value: mapping.MaximumRetryAttempts ?? -1 },
    bisects: { value: mapping.BisectBatchOnFunctionError === true },
    onFailure: destinationOf(mapping.DestinationConfig?.OnFailure?.Destination),
    startingPosition: { value: mapping.StartingPosition },
    tumblingWindowSeconds: { value: mapping.TumblingWindowInSeconds ?? 0 },
    isProvisioned: { value: mapping.ProvisionedPollerConfig !== undefined },
    hasMetrics: { value: (mapping.MetricsConfig?.Metrics?.length ?? 0) > 0 },
    isEnabled: { value: mapping.State?.startsWith('Disabl') !== true },
  };
}

function destinationOf(arn: string | undefined): Setting<Destination> {
  return { value: arn === undefined ? undefined : { queueId: arn, arn: { value: arn } } };
}

/** Returns NAME of `arn:aws:lambda:region:account:function:NAME`, which a qualifier may follow. */
function functionNameOf(arn: string): string {
  return arn.split(':')[6] ?? arn;
}
