import { connectionsTo } from '../aws/connect.ts';
import { directSender, type DirectSetup, type Limits } from '../aws/direct-sender.ts';
import type { Service } from '../aws/service.ts';
import type { StopSignal } from '../base/stop.ts';

/** Sends a request to SQS, through AWS's SDK or directly. */
export type SendToSqs = (
  operation: 'ReceiveMessage' | 'DeleteMessageBatch' | 'ChangeMessageVisibilityBatch' | 'GetQueueAttributes',
  input: object,
  signal: StopSignal,
) => Promise<object>;

/** The time that SQS may need beyond the wait of a receive. */
const SLACK_MS = 5_000;
const LONGEST_WAIT_MS = 20_000;

const LIMITS: Limits = {
  requestMs: 10_000,
  sockets: 50,
  connectMs: 2_500,
  silentMs: 3_000,
  answerBytes: 32 * 1_024 * 1_024, // ten escaped messages of a mebibyte
};

/** Limits of a receive, which may wait without a byte of the answer. */
const OF_RECEIVES: Limits = {
  ...LIMITS,
  // One for each of `receivers`: a receive that waited for another's connection would time out in its poll.
  sockets: Infinity,
  requestMs: LONGEST_WAIT_MS + 2 * SLACK_MS,
  silentMs: LONGEST_WAIT_MS + SLACK_MS,
};

/** Sends requests without AWS's SDK. Receives have their own connections, which are nearly always busy. */
export function directSend(setup: DirectSetup): SendToSqs {
  const send = directSender(SQS, setup, LIMITS, connectionsTo(setup.endpoint.url, LIMITS));
  const connections = connectionsTo(setup.endpoint.url, OF_RECEIVES);
  const receive = directSender(SQS, { ...setup, maxAttempts: 1 }, OF_RECEIVES, connections);
  // A FIFO receive is retried with its attempt id, which returns the messages of the lost answer at once.
  const receiveAgain = directSender(SQS, setup, OF_RECEIVES, connections);
  return (operation, input, signal) => {
    if (operation !== 'ReceiveMessage') return send(operation, input, signal);
    const ofAttempt = 'ReceiveRequestAttemptId' in input;
    return (ofAttempt ? receiveAgain : receive)(operation, input, signal);
  };
}

/** SQS's JSON protocol. */
export const SQS: Service = {
  title: 'SQS',
  name: 'sqs',
  target: 'AmazonSQS',
  firstDelayMs: 100,
  maxAttempts: 3,
  tellingMembers: [],
  unanswered: (why, cause, limitMs = 0) =>
    Object.assign(
      new Error(
        why === 'silent'
          ? `SQS did not answer within ${limitMs / 1_000} seconds`
          : 'SQS had not answered when the worker stopped waiting',
        { cause },
      ),
      { name: why === 'silent' ? 'TimeoutError' : 'AbortError' },
    ),
  noCredentials: () =>
    Object.assign(new Error('AWS credentials were not found in time'), { name: 'CredentialsProviderError' }),
};
