/** Handlers that a reader can start from, by name. */
export const HANDLERS: Readonly<Record<string, string>> = {
  'charges each order': `async function handler({ body }, { idempotencyKey }) {
  await sleep(200); // a call to the payment provider
  console.log('charged', body.orderId, 'under', idempotencyKey);
  return { charged: body.orderId };
}`,
  'fails on the first delivery': `async function handler({ body, receiveCount }) {
  if (body.orderId === '2' && receiveCount === 1) throw new Error('The provider did not answer');
  return { charged: body.orderId };
}`,
  'fails for good': `async function handler({ body }) {
  if (body.orderId === '2') throw new PermanentError('The card was declined');
  return { charged: body.orderId };
}`,
  'kills its process': `async function handler({ body, receiveCount }) {
  await sleep(body.orderId === '1' ? 0 : 300);
  if (body.orderId === '2' && receiveCount === 1) process.exit(1);
  return { charged: body.orderId };
}`,
  'does not come to an end': `async function handler({ body }, { signal }) {
  if (body.orderId !== '2') return { charged: body.orderId };
  await new Promise((resolve) => signal.addEventListener('abort', resolve));
  throw new Error('stopped by the signal');
}`,
};

/** Events that a reader can start from, by name. */
export const EVENTS: Readonly<Record<string, object>> = {
  'SQS: three messages, two of one order': {
    Records: [sqsMessage('m1', '1'), sqsMessage('m2', '2'), sqsMessage('m3', '1')],
  },
  'SQS FIFO: one group': {
    Records: ['1', '2', '3'].map((orderId) => ({
      ...sqsMessage(`m${orderId}`, orderId),
      attributes: { ...sqsMessage('', '').attributes, MessageGroupId: 'customer-7' },
      eventSourceARN: 'arn:aws:sqs:us-east-1:123456789012:orders.fifo',
    })),
  },
  'EventBridge: one event': {
    version: '0',
    id: 'e1',
    source: 'shop',
    account: '123456789012',
    time: '2026-01-01T00:00:00Z',
    region: 'us-east-1',
    resources: [],
    'detail-type': 'OrderPlaced',
    detail: { orderId: '2' },
  },
};

function sqsMessage(messageId: string, orderId: string) {
  return {
    messageId,
    receiptHandle: messageId,
    body: JSON.stringify({ orderId }),
    attributes: { ApproximateReceiveCount: '1', SentTimestamp: '1767225600000' },
    messageAttributes: {},
    eventSource: 'aws:sqs',
    eventSourceARN: 'arn:aws:sqs:us-east-1:123456789012:orders',
  };
}
