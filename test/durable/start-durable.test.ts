import { LambdaClient } from '@aws-sdk/client-lambda';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import {
  type BatchProcessorOptions,
  createBatchProcessor,
  type RecordContext,
  type RecordHandler,
} from 'batchlatch';
import { startDurable, type StartDurableOptions } from 'batchlatch/durable';
import { memoryStore } from 'batchlatch/memory';
import { sqsEvent } from 'batchlatch/testing';
import { emulatorClientConfig } from '../../packages/cli/src/dev/emulators/emulator-environment.ts';
import { type Bench, bench, failed, messages } from '../batch/bench.ts';
import { until } from '../support/until.ts';
import { arnOf, lambdaService } from './lambda-service.ts';

describe('startDurable', () => {
  const lambda = lambdaService();
  let client: LambdaClient;
  beforeAll(() => {
    client = new LambdaClient({ ...emulatorClientConfig, endpoint: lambda.endpoint, maxAttempts: 2 });
  });
  afterAll(() => client.destroy());

  const starting = (options: Partial<StartDurableOptions> = {}) =>
    startDurable({ functionName: 'fulfil-order', qualifier: 'live', client, ...options });

  const run = (
    b: Bench,
    options: Partial<StartDurableOptions> = {},
    ids: readonly string[] = ['a'],
    batch: BatchProcessorOptions = {},
  ): Promise<string[]> => b.run(starting(options), ids, batch);

  /** The error that the record failed with. */
  function errorOf(b: Bench): { code?: string; message: string } {
    return b.eventsOf('failed').concat(b.eventsOf('parked') as never)[0]?.error as never;
  }

  it('starts one execution for each record, and keeps its ARN as the result', async () => {
    const b = bench();
    expect(await run(b, {}, ['a', 'b'])).toEqual([]);
    expect(lambda.invocations).toHaveLength(2);
    const [name = ''] = lambda.executions.keys();
    expect(lambda.invocations[0]).toEqual({
      functionName: 'fulfil-order',
      qualifier: 'live',
      type: 'Event',
      executionName: name,
      payload: '{"id":"a"}',
    });
    expect(name).toMatch(/^bench-[\w-]{14}-[\w-]{43}$/);
    expect(await b.claim('a')).toMatchObject({
      status: 'COMPLETED',
      result: JSON.stringify(arnOf(name)),
    });
  });

  it('finds the execution that was started before its process died', async () => {
    const b = bench();
    const start = starting();
    void b.processor(async (record, context) => {
      await start(record, context);
      await new Promise(() => undefined); // died before anything was settled
    })(messages('a'));
    await b.told('started', 'a');
    await until('the execution is started', () => lambda.executions.size > 0);
    await b.clock.advance(60_001);
    expect(await run(b)).toEqual([]);
    expect(lambda.invocations).toHaveLength(2);
    expect(lambda.executions.size).toBe(1);
    const [name = ''] = lambda.executions.keys();
    expect(await b.claim('a')).toMatchObject({
      status: 'COMPLETED',
      result: JSON.stringify(arnOf(name)),
    });
  });

  it('starts one execution where the answer of Lambda is lost', async () => {
    const b = bench();
    lambda.fail('lose-answer');
    expect(await run(b)).toEqual([]);
    expect(lambda.invocations).toHaveLength(2);
    expect(lambda.executions.size).toBe(1);
  });

  it('parks a key whose execution was started with another payload', async () => {
    const b = bench();
    await run(b);
    const [name = ''] = lambda.executions.keys();
    const other = { executionName: () => name };
    expect(await run(b, other, ['b'])).toEqual(['b']);
    expect(await b.claim('b')).toMatchObject({
      status: 'PARKED',
      error: { code: 'BATCHLATCH_EXECUTION_MISMATCH' },
    });
    expect(lambda.executions.get(name)).toBe('{"id":"a"}');
  });

  it('takes messages that mean the same for the same payload', async () => {
    const store = memoryStore();
    const executionName = () => 'order-1';
    for (const body of ['{"a": 1, "b": 2}', '{"b":2.0,"a":1}']) {
      const handler = createBatchProcessor(starting({ executionName }), {
        store,
        observer: { onEvent: () => undefined },
      });
      expect(failed(await handler(sqsEvent([{ body }])))).toEqual([]);
    }
    expect([...lambda.executions]).toEqual([['order-1', '{"a":1,"b":2}']]);
  });

  it.each([
    [{ status: 429, error: 'TooManyRequestsException' }],
    [{ status: 500, error: 'ServiceException' }],
    [{ status: 502, error: 'ENINotReadyException' }],
    ['lose-answer' as const],
  ])('lets the record come again after %j', async (fault) => {
    const b = bench();
    lambda.fail(fault, fault);
    expect(await run(b)).toEqual(['a']);
    expect(await b.claim('a')).toMatchObject({
      status: 'FAILED',
      error: { code: 'BATCHLATCH_EXECUTION_NOT_STARTED' },
    });
    expect(await run(b)).toEqual([]);
    expect(lambda.executions.size).toBe(1);
  });

  it.each([
    ['no such function', { functionName: 'fulfill-order' }, undefined, 'There is no such function'],
    [
      'no permission',
      {},
      { status: 403, error: 'AccessDeniedException' },
      'The role needs lambda:InvokeFunction',
    ],
    [
      'a qualifier that Lambda refuses',
      {},
      { status: 400, error: 'InvalidParameterValueException' },
      'are invoked with a version',
    ],
    ['no name', { executionName: () => undefined as never }, undefined, '`executionName`'],
    ['a name that Lambda would refuse', { executionName: () => 'order/1' }, undefined, '`executionName`'],
  ])('says what is wrong with %s, and lets the record come again', async (_what, options, fault, message) => {
    const b = bench();
    if (fault !== undefined) lambda.fail(fault);
    expect(await run(b, options)).toEqual(['a']);
    expect(await b.claim('a')).toMatchObject({
      status: 'FAILED',
      error: { code: 'BATCHLATCH_CONFIGURATION', message: expect.stringContaining(message) },
    });
    expect(lambda.executions.size).toBe(0);
  });

  it.each([
    ['a function that is not durable', { functionName: 'plain' }, 'no DurableConfig'],
    ['a payload that is too large', { payload: () => 'x'.repeat(1_048_576) }, '(1 MB)'],
    ['a payload that JSON does not show', { payload: () => new Map() }, 'has a Map'],
  ])('parks %s', async (_what, options, message) => {
    const b = bench();
    expect(await run(b, options)).toEqual(['a']);
    expect(await b.claim('a')).toMatchObject({
      status: 'PARKED',
      error: { code: 'BATCHLATCH_PERMANENT', message: expect.stringContaining(message) },
    });
  });

  it('does not pass on a number that JavaScript rounds', async () => {
    const b = bench();
    const event = sqsEvent([{ messageId: 'a', body: '{"id":1234567890123456789}' }]);
    expect(failed(await b.processor(starting())(event))).toEqual(['a']);
    expect(lambda.invocations).toEqual([]);
    expect(errorOf(b).message).toContain('`id`');
  });

  it('passes on an array with a hole as JSON does', async () => {
    const items: string[] = [];
    items[1] = 'b';
    expect(await run(bench(), { payload: () => ({ items }) })).toEqual([]);
    expect(lambda.invocations).toMatchObject([{ payload: '{"items":[null,"b"]}' }]);
  });

  it('stops with the signal, and counts nothing as done', async () => {
    const b = bench();
    lambda.fail({ status: 500, error: 'ServiceException' }, { status: 500, error: 'ServiceException' });
    const aborted = new AbortController();
    aborted.abort(new Error('time is over'));
    const start = starting();
    const stopped = { signal: { value: aborted.signal } };
    const handler: RecordHandler = (record, context) =>
      start(
        record,
        Object.create(context, {
          ...stopped,
          idempotencyKey: { value: context.idempotencyKey },
        }) as RecordContext,
      );
    expect(await b.run(handler, ['a'])).toEqual(['a']);
    expect(errorOf(b).message).toBe('time is over');
  });

  it('is refused where the installed SDK does not know names of executions', async () => {
    jest.unstable_mockModule('@aws-sdk/client-lambda', () => ({ InvokeCommand: Object, LambdaClient }));
    try {
      const b = bench();
      expect(await run(b)).toEqual(['a']);
      expect(errorOf(b).message).toContain('3.946.0 or later');
      expect(lambda.invocations).toEqual([]);
    } finally {
      jest.unstable_unmockModule('@aws-sdk/client-lambda');
    }
  });
});

describe('The options of startDurable', () => {
  it.each([
    ['an unqualified function', { functionName: 'f' }, 'Expected `qualifier` to be a version or an alias'],
    ['two qualifiers', { functionName: 'f:live', qualifier: '7' }, 'got both'],
    ['no function', { qualifier: 'live' }, 'Expected `functionName` to be'],
    ['a URL', { functionName: 'https://f', qualifier: 'live' }, 'Expected `functionName` to be'],
    ['an unknown option', { functionName: 'f:live', name: 'x' }, 'Unknown option `name`'],
  ])('are refused with %s', (_what, options, message) => {
    expect(() => startDurable(options as StartDurableOptions)).toThrow(
      expect.objectContaining({
        code: 'BATCHLATCH_CONFIGURATION',
        message: expect.stringContaining(message),
      }),
    );
  });

  it.each([
    'f:live',
    'f:$LATEST',
    '123456789012:function:f:7',
    'arn:aws:lambda:eu-west-1:123456789012:function:f:live',
    'arn:aws-us-gov:lambda:us-gov-west-1:123456789012:function:f:7',
  ])('take a function as %s', (functionName) => {
    expect(() => startDurable({ functionName })).not.toThrow();
  });
});
