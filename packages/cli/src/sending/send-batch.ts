import type { Sendable } from './outgoing.ts';

/** The service that messages are sent to. */
export interface Sender<Message extends Sendable> {
  /** Sends one request, and returns the messages not accepted. Rejects if nothing is known of any. */
  request(messages: readonly Message[]): Promise<readonly NotTaken[]>;
  sleep(ms: number): Promise<void>;
}

/** A message that the service did not accept. */
interface NotTaken {
  /** Its index in the request. */
  readonly index: number;
  readonly code: string;
  readonly reason: string;
  /** Whether a retry would fail too. */
  readonly isFinal: boolean;
}

/** A message that was given up. */
interface Refusal {
  readonly message: Sendable;
  readonly code: string;
  readonly reason: string;
}

/** The outcome of a batch. */
export interface SentBatch {
  readonly sent: number;
  readonly refused: readonly Refusal[];
  /** Messages sent again after a request without an answer; a standard queue may have them twice. */
  readonly repeated: number;
  /** The error after which no further request can succeed. The messages of its request are in `refused`. */
  readonly fatal?: unknown;
}

/** Network errors before a request was sent. */
const NOT_CONNECTED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

const NOTHING_TAKEN = 'nothing of its request was taken';
const TRIES = 5;
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5_000;

/**
 * Sends up to ten messages in one request. Messages that the service refuses for now, and requests without an
 * answer, are retried with exponential backoff and full jitter. Never rejects.
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
        const isLost = kind === 'unanswered' || repeated > 0;
        const reason = isLost ? 'its request got no answer: it may have been taken' : NOTHING_TAKEN;
        return {
          sent: messages.length - refused.length - open.length,
          refused: [...refused, ...refusals(open, thrown, reason)],
          repeated,
          fatal: thrown,
        };
      }
      if (kind === 'unanswered') repeated = Math.max(repeated, open.length);
    }
    await sender.sleep(Math.random() * Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempt));
  }
}

/** Adds final refusals to `refused`, and returns the messages to send again. */
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

/** Splits a batch that is too long: an emulator may have a smaller limit than AWS. */
async function halves<Message extends Sendable>(
  open: readonly Message[],
  sender: Sender<Message>,
): Promise<SentBatch> {
  const middle = Math.ceil(open.length / 2);
  const first = await sendBatch(open.slice(0, middle), sender);
  const others = open.slice(middle);
  if (first.fatal !== undefined) {
    return { ...first, refused: [...first.refused, ...refusals(others, first.fatal, NOTHING_TAKEN)] };
  }
  const second = await sendBatch(others, sender);
  return { ...together(second, first.refused, first.repeated), sent: first.sent + second.sent };
}

function together(batch: SentBatch, refused: readonly Refusal[], repeated: number): SentBatch {
  return { ...batch, refused: [...refused, ...batch.refused], repeated: repeated + batch.repeated };
}

function refusals(open: readonly Sendable[], thrown: unknown, reason: string): Refusal[] {
  return open.map((message) => ({ message, code: nameOf(thrown), reason }));
}

/** Refuses one message that is too long by itself, without `fatal`: later messages may be shorter. */
function tooLong(open: readonly Sendable[], thrown: unknown): SentBatch {
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  return {
    sent: 0,
    refused: refusals(open, thrown, reason),
    repeated: 0,
  };
}

/** Recognises SQS's error code, and EventBridge's message, which has no code of its own. */
function isTooLong(thrown: unknown): boolean {
  if (/BatchRequestTooLong/.test(nameOf(thrown))) return true;
  return thrown instanceof Error && thrown.message.startsWith('Total size of the entries');
}

/** `busy`: nothing was accepted. `unanswered`: it may have been. `refused`: a retry would be refused too. */
function kindOf(thrown: unknown): 'busy' | 'unanswered' | 'refused' {
  const { code, $metadata } = thrown as { code?: unknown; $metadata?: { httpStatusCode?: number } };
  const status = $metadata?.httpStatusCode;
  if (/Throttl|TooManyRequests|RequestLimit|ServiceUnavailable/.test(nameOf(thrown)) || status === 429) {
    return 'busy';
  }
  if (status !== undefined) return status >= 500 ? 'unanswered' : 'refused';
  if (typeof code === 'string' && NOT_CONNECTED.has(code)) return 'busy';
  const isNetwork = typeof code === 'string' && /^(E[A-Z_]+|UND_ERR_.*)$/.test(code);
  return isNetwork || /Timeout|NetworkingError/.test(nameOf(thrown)) ? 'unanswered' : 'refused';
}

function nameOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return typeof thrown;
  const { code } = thrown as { code?: unknown };
  return thrown.name === 'Error' && typeof code === 'string' ? code : thrown.name;
}
