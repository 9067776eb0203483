import { describe, expect, it } from '@jest/globals';
import {
  type AsynchronousInvocations,
  asynchronousInvocations,
} from '../../../src/dev/asynchronous/asynchronous-invocations.ts';
import type { InvocationResult } from '../../../src/dev/invoke-result.ts';
import { readStack } from '../../../src/dev/template/read-stack.ts';
import { manualClock, type ManualClock } from 'batchlatch/testing';

const FAILED: InvocationResult = { ok: false, errorType: 'Error', errorMessage: 'no', trace: ['Error: no'] };
const THROTTLED: InvocationResult = { ...FAILED, errorMessage: 'Rate exceeded', isThrottled: true };
const DONE: InvocationResult = { ok: true, payload: null };

interface Harness {
  readonly invocations: AsynchronousInvocations;
  readonly clock: ManualClock;
  readonly calls: { readonly at: number; readonly requestId: string | undefined }[];
  readonly sent: { readonly queue: string; readonly body: unknown; readonly attributes: unknown }[];
  readonly givenUp: unknown[];
  /** Lets promises settle, then the time pass. */
  pass(ms: number): Promise<void>;
}

function harness(config: string, results: readonly InvocationResult[]): Harness {
  const clock = manualClock(Date.UTC(2026, 0, 1));
  const start = clock.now();
  const stack = readStack(
    {
      file: '/shop/template.yaml',
      text: `Resources: { Dead: { Type: AWS::SQS::Queue }, Failed: { Type: AWS::SQS::Queue },
        Fn: { Type: AWS::Serverless::Function, Properties: { Handler: a.b, ${config} } } }`,
    },
    { sqs: 'http://127.0.0.1:1', dynamodb: '', eventbridge: '', kinesis: '' },
  );
  const [calls, sent, givenUp]: [Harness['calls'], Harness['sent'], unknown[]] = [[], [], []];
  const invocations = asynchronousInvocations({
    stack: () => stack,
    clock,
    invoke: (_id, _event, requestId) => {
      calls.push({ at: clock.now() - start, requestId });
      return Promise.resolve(results[calls.length - 1] ?? DONE);
    },
    send: (queue, body, attributes) => {
      sent.push({ queue: queue.split(':').at(-1) ?? '', body: JSON.parse(body) as unknown, attributes });
      return Promise.resolve();
    },
    onGivenUp: ({ condition, attempts }, id, queues) =>
      givenUp.push({ condition, attempts, id, queues: queues.length }),
  });
  const pass = async (ms: number): Promise<void> => {
    await clock.advance(0);
    await clock.advance(ms);
  };
  return { invocations, clock, calls, sent, givenUp, pass };
}

const EVERYTHING =
  'DeadLetterQueue: { Type: SQS, TargetArn: !GetAtt Dead.Arn }, EventInvokeConfig: { DestinationConfig: { OnFailure: { Type: SQS, Destination: !GetAtt Failed.Arn } } }';

describe('An asynchronous invocation', () => {
  it('that succeeds is over', async () => {
    const { invocations, calls, pass, sent } = harness(EVERYTHING, [DONE]);
    invocations.enqueue('Fn', { a: 1 });
    expect(invocations.pending).toBe(1);
    await pass(60_000);
    expect(calls).toHaveLength(1);
    expect(invocations.pending).toBe(0);
    expect(sent).toEqual([]);
  });

  it('that fails is tried twice more with the same request id, then sent to its destination and its dead-letter queue', async () => {
    const { invocations, calls, pass, sent, givenUp } = harness(EVERYTHING, [FAILED, FAILED, FAILED]);
    invocations.enqueue('Fn', { a: 1 });
    await pass(2_000);
    await pass(4_000);
    await pass(60_000);
    expect(calls.map(({ at }) => at)).toEqual([0, 2_000, 6_000]);
    const requestId = calls[0]?.requestId;
    expect(new Set(calls.map((call) => call.requestId)).size).toBe(1);
    expect(sent).toEqual([
      {
        queue: 'shop-Failed',
        attributes: undefined,
        body: {
          version: '1.0',
          timestamp: '2026-01-01T00:00:06.000Z',
          requestContext: {
            requestId,
            functionArn: 'arn:aws:lambda:us-east-1:000000000000:function:shop-Fn:$LATEST',
            condition: 'RetriesExhausted',
            approximateInvokeCount: 3,
          },
          requestPayload: { a: 1 },
          responseContext: { statusCode: 200, executedVersion: '$LATEST', functionError: 'Unhandled' },
          responsePayload: { errorType: 'Error', errorMessage: 'no', trace: ['Error: no'] },
        },
      },
      {
        queue: 'shop-Dead',
        body: { a: 1 },
        attributes: { RequestID: requestId, ErrorCode: { number: '200' }, ErrorMessage: 'no' },
      },
    ]);
    expect(givenUp).toEqual([{ condition: 'RetriesExhausted', attempts: 3, id: 'Fn', queues: 2 }]);
    expect(invocations.pending).toBe(0);
  });

  it.each([
    ['é'.repeat(1_000), 'é'.repeat(512)],
    [`${'a'.repeat(1_023)}💥`, 'a'.repeat(1_023)],
    ['bell \u0007, half a pair \uD83D', 'bell \uFFFD, half a pair \uFFFD'],
  ])(
    'has the first kilobyte of its error, as SQS takes it, in its dead letter',
    async (errorMessage, sentMessage) => {
      const once = EVERYTHING.replace(
        'EventInvokeConfig: {',
        'EventInvokeConfig: { MaximumRetryAttempts: 0,',
      );
      const { invocations, pass, sent } = harness(once, [{ ...FAILED, errorMessage }]);
      invocations.enqueue('Fn', { a: 1 });
      await pass(0);
      expect(sent.find(({ queue }) => queue === 'shop-Dead')?.attributes).toMatchObject({
        ErrorMessage: sentMessage,
      });
    },
  );

  it('is tried as often as its function says', async () => {
    const { invocations, calls, pass } = harness('EventInvokeConfig: { MaximumRetryAttempts: 0 }', [
      FAILED,
      FAILED,
    ]);
    invocations.enqueue('Fn', {});
    await pass(60_000);
    expect(calls).toHaveLength(1);
  });

  it('that is throttled waits longer each time, and no attempt is counted', async () => {
    const results = [THROTTLED, THROTTLED, FAILED, THROTTLED, FAILED, DONE];
    const { invocations, calls, pass, givenUp } = harness('', results);
    invocations.enqueue('Fn', {});
    for (const ms of [1_000, 2_000, 2_000, 1_000, 4_000]) await pass(ms);
    expect(calls.map(({ at }) => at)).toEqual([0, 1_000, 3_000, 5_000, 6_000, 10_000]);
    expect(givenUp).toEqual([]);
  });

  it('that becomes too old is given up', async () => {
    const { invocations, pass, sent, calls } = harness(
      EVERYTHING.replace('EventInvokeConfig: {', 'EventInvokeConfig: { MaximumEventAgeInSeconds: 60,'),
      Array.from({ length: 20 }, () => THROTTLED),
    );
    invocations.enqueue('Fn', {});
    for (let turn = 0; turn < 7; turn += 1) await pass(1_000 * 2 ** turn);
    expect(calls).toHaveLength(6);
    expect(sent[0]?.body).toMatchObject({
      requestContext: { condition: 'EventAgeExceeded', approximateInvokeCount: 0 },
      responseContext: { statusCode: 429 },
    });
    expect(sent[1]?.attributes).toMatchObject({ ErrorCode: { number: '429' } });
  });

  it('makes no further attempt after a stop', async () => {
    const { invocations, calls, pass } = harness('', [FAILED]);
    invocations.enqueue('Fn', {});
    await pass(0);
    invocations.stop();
    invocations.enqueue('Fn', {});
    await pass(60_000);
    expect(calls).toHaveLength(1);
    expect(invocations.pending).toBe(0);
  });

  it('of a function that is there no more is dropped', async () => {
    const { invocations, calls, pass } = harness('', []);
    invocations.enqueue('Gone', {});
    await pass(0);
    expect(calls).toEqual([]);
    expect(invocations.pending).toBe(0);
  });
});
