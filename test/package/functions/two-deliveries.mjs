import { Session } from 'node:inspector';
import { setTimeout } from 'node:timers/promises';

const inspector = new Session();
const scripts = [];
inspector.connect();
inspector.on('Debugger.scriptParsed', ({ params }) => scripts.push(params.url));
inspector.post('Debugger.enable');

/**
 * Delivers a message twice to what is made. Prints how often it ran, what failed, with which codes, and what code was
 * loaded from here on, and in INIT.
 */
export async function twoDeliveries(make) {
  let runs = 0;
  const codes = [];
  const messages = [];
  const handler = await make(() => (runs += 1), {
    onEvent: ({ error }) => {
      if (error?.code === undefined) return;
      codes.push(error.code);
      messages.push(error.message);
    },
  });
  await setTimeout(Number(process.env.INIT_MS ?? 0));
  const scriptsOfInit = [...scripts];
  const failures = [];
  for (let delivery = 1; delivery <= 2; delivery += 1) {
    failures.push((await handler({ Records: [record] }, context)).batchItemFailures.length);
  }
  process.stdout.write(JSON.stringify({ runs, failures, codes, messages, scripts, scriptsOfInit }));
}

const context = { functionName: 'function', getRemainingTimeInMillis: () => 10_000 };
const record = {
  messageId: process.env.MESSAGE_ID,
  body: '{}',
  receiptHandle: 'a-receipt',
  attributes: { ApproximateReceiveCount: '1', SentTimestamp: String(Date.now()) },
  messageAttributes: {},
  eventSource: 'aws:sqs',
  eventSourceARN: 'arn:aws:sqs:us-east-1:123456789012:orders',
  awsRegion: 'us-east-1',
};
