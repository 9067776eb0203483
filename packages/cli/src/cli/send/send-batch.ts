import type { Sendable } from './outgoing.ts';

/** Where messages go, and how a wait is done. */
export interface Sender<Message extends Sendable> {
  /** Sends them in one request, and answers those that were not taken. Rejects where nothing is known of any. */
  request(messages: readonly Message[]): Promise<readonly NotTaken[]>;
  sleep(ms: number): Promise<void>;
}

/** What the service says of a message that it did not take. */
interface NotTaken {
  /** Of the message, in its request. */
  readonly index: number;
  readonly code: string;
  readonly reason: string;
  /** Whether it would not be taken either if it were sent again. */
  readonly isFinal: boolean;
}

/** A message that was not taken. */
interface Refusal {
  readonly message: Sendable;
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
 * Sends up to ten messages in one request. What the service refuses for a reason of its own, and a request that it does not
 * answer, is sent again, after waits with full jitter. Never rejects.
 */
export async function sendBatch<Message extends Sendable>(
  messages: readonly Message[],
  sender: Sender<Message>,
): Promise<SentBatch> {
  const refused: Refusal[] = [];
  let open = messages;
  let repeated = 0;
  for (let attempt = 1; ; attempt += 1) {
    const isLast = attempt === TRIES;
    try {
      const again = sortOut(open, await sender.request(open), isLast, refused);
      if (again.length === 0) return { sent: messages.length - refused.length, refused, repeated };
      open = again;
    } catch (thrown) {
      if (isTooLong(thrown)) {
        const rest = open.length > 1 ? await halves(open, sender) : tooLong(open, thrown);
        return together(rest, refused, repeated);
      }
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
function sortOut<Message extends Sendable>(
  open: readonly Message[],
  failed: readonly NotTaken[],
  isLast: boolean,
  refused: Refusal[],
): Message[] {
  const again: Message[] = [];
  for (const { index, code, reason, isFinal } of failed) {
    const message = open[index];
    if (message === undefined) continue;
    if (isFinal || isLast) refused.push({ message, code, reason });
    else again.push(message);
  }
  return again.sort((one, other) => one.line - other.line);
}

/** A service with another limit than AWS has now. */
async function halves<Message extends Sendable>(
  open: readonly Message[],
  sender: Sender<Message>,
): Promise<SentBatch> {
  const middle = Math.ceil(open.length / 2);
  const first = await sendBatch(open.slice(0, middle), sender);
  const second = await sendBatch(open.slice(middle), sender);
  return { ...together(second, first.refused, first.repeated), sent: first.sent + second.sent };
}

function together(batch: SentBatch, refused: readonly Refusal[], repeated: number): SentBatch {
  return { ...batch, refused: [...refused, ...batch.refused], repeated: repeated + batch.repeated };
}

/** Of messages that are too long for a request of their own: those after them may be shorter. */
function tooLong(open: readonly Sendable[], thrown: unknown): SentBatch {
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  return {
    sent: 0,
    refused: open.map((message) => ({ message, code: nameOf(thrown), reason })),
    repeated: 0,
  };
}

/** Of SQS, and of EventBridge, which has no name of its own for it. */
function isTooLong(thrown: unknown): boolean {
  if (/BatchRequestTooLong/.test(nameOf(thrown))) return true;
  return thrown instanceof Error && thrown.message.startsWith('Total size of the entries');
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
