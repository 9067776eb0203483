import type { BatchResultErrorEntry, SendMessageBatchRequestEntry, SQS } from '@aws-sdk/client-sqs';
import type { Outgoing } from './outgoing.ts';

/** Where messages go, and how a wait is done. */
export interface Sender {
  readonly sqs: Pick<SQS, 'sendMessageBatch'>;
  readonly queueUrl: string;
  readonly delaySeconds: number | undefined;
  sleep(ms: number): Promise<void>;
}

/** A message that SQS did not take. */
interface Refusal {
  readonly message: Outgoing;
  readonly code: string;
  readonly reason: string;
}

/** What became of the messages of a batch. */
export interface SentBatch {
  readonly sent: number;
  readonly refused: readonly Refusal[];
  /** Messages that were sent again after a request without an answer: a standard queue may have them twice. */
  readonly repeated: number;
  /** Why no further request can succeed. Its messages are among the refused. */
  readonly fatal?: unknown;
}

const TRIES = 5;
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5_000;

/**
 * Sends up to ten messages in one request. What SQS refuses for a reason of its own, and a request that it does not answer, is
 * sent again, after waits with full jitter. Never rejects.
 */
export async function sendBatch(messages: readonly Outgoing[], sender: Sender): Promise<SentBatch> {
  const refused: Refusal[] = [];
  let open = messages;
  let repeated = 0;
  for (let attempt = 1; ; attempt += 1) {
    const isLast = attempt === TRIES;
    try {
      const { Failed = [] } = await sender.sqs.sendMessageBatch({
        QueueUrl: sender.queueUrl,
        Entries: open.map((message, index) => entryOf(message, index, sender)),
      });
      const again = sortOut(open, Failed, isLast, refused);
      if (again.length === 0) return { sent: messages.length - refused.length, refused, repeated };
      open = again;
    } catch (thrown) {
      if (isTooLong(thrown) && open.length > 1)
        return together(await halves(open, sender), refused, repeated);
      const kind = kindOf(thrown);
      if (kind === 'refused' || isLast) {
        const all = open.map((message) => ({
          message,
          code: nameOf(thrown),
          reason: 'nothing of its request was taken',
        }));
        return {
          sent: messages.length - refused.length - open.length,
          refused: [...refused, ...all],
          repeated,
          fatal: thrown,
        };
      }
      if (kind === 'unanswered') repeated = open.length;
    }
    await sender.sleep(Math.random() * Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempt));
  }
}

/** Adds to `refused` what will not be taken, and returns what is to be sent again. */
function sortOut(
  open: readonly Outgoing[],
  failed: readonly BatchResultErrorEntry[],
  isLast: boolean,
  refused: Refusal[],
): Outgoing[] {
  const again: Outgoing[] = [];
  for (const { Id, Code = 'unknown', Message = '', SenderFault } of failed) {
    const message = open[Number(Id)];
    if (message === undefined) continue;
    if (SenderFault === true || isLast) refused.push({ message, code: Code, reason: Message });
    else again.push(message);
  }
  return again.sort((one, other) => one.line - other.line);
}

/** A service with another limit than AWS has now. */
async function halves(open: readonly Outgoing[], sender: Sender): Promise<SentBatch> {
  const middle = Math.ceil(open.length / 2);
  const first = await sendBatch(open.slice(0, middle), sender);
  const second = await sendBatch(open.slice(middle), sender);
  return { ...together(second, first.refused, first.repeated), sent: first.sent + second.sent };
}

function together(batch: SentBatch, refused: readonly Refusal[], repeated: number): SentBatch {
  return { ...batch, refused: [...refused, ...batch.refused], repeated: repeated + batch.repeated };
}

function entryOf(message: Outgoing, index: number, { delaySeconds }: Sender): SendMessageBatchRequestEntry {
  const { body, groupId, dedupId } = message;
  return {
    Id: String(index),
    MessageBody: body,
    ...(groupId !== undefined && { MessageGroupId: groupId }),
    ...(dedupId !== undefined && { MessageDeduplicationId: dedupId }),
    ...(delaySeconds !== undefined && { DelaySeconds: delaySeconds }),
  };
}

function isTooLong(thrown: unknown): boolean {
  return /BatchRequestTooLong/.test(nameOf(thrown));
}

/** `busy`: nothing was taken. `unanswered`: it may have been. `refused`: nothing was taken, and nothing will be. */
function kindOf(thrown: unknown): 'busy' | 'unanswered' | 'refused' {
  const { code, $metadata } = thrown as { code?: unknown; $metadata?: { httpStatusCode?: number } };
  const status = $metadata?.httpStatusCode;
  if (/Throttl|TooManyRequests|RequestLimit|ServiceUnavailable/.test(nameOf(thrown)) || status === 429) {
    return 'busy';
  }
  if (status !== undefined) return status >= 500 ? 'unanswered' : 'refused';
  const isNetwork = typeof code === 'string' && /^(E[A-Z_]+|UND_ERR_.*)$/.test(code);
  return isNetwork || /Timeout|NetworkingError/.test(nameOf(thrown)) ? 'unanswered' : 'refused';
}

function nameOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return typeof thrown;
  const { code } = thrown as { code?: unknown };
  return thrown.name === 'Error' && typeof code === 'string' ? code : thrown.name;
}
