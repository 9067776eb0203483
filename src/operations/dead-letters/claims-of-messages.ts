import { bounded, type Limit } from '../../base/bounded.ts';
import { defined } from '../../base/defined.ts';
import { STORE_CALL_MS } from '../../base/limits.ts';
import type { Claim } from '../../claims/claim.ts';
import { type Clock, systemClock } from '../../base/clock.ts';
import type { ClaimAdmin } from '../../claims/claim-admin.ts';
import type { StoreCallOptions } from '../../claims/claim-store.ts';
import { unansweredByStore } from '../../claims/store-errors.ts';
import { isOfOneKey } from '../list-claims.ts';
import type { DeadLetterMessage, ReadMessage } from './dead-letter-message.ts';

/**
 * Returns the idempotency key that the processor derives for a message; undefined if it is not known.
 *
 * @param message A message of the dead-letter queue.
 */
export type KeyOfMessage = (message: DeadLetterMessage) => string | undefined | Promise<string | undefined>;

/** The cost of reading the parked claims. */
export interface ParkedClaimsRead {
  /** `index`: only parked claims were read. `scan`: the whole table was read. */
  readonly readBy: 'index' | 'scan';
  /** The number of rows and index entries read. */
  readonly rowsRead: number;
}

interface ClaimsOptions {
  readonly admin?: ClaimAdmin;
  readonly key?: KeyOfMessage;
  readonly clock?: Clock;
  readonly signal?: AbortSignal;
}

/** A message with its claims. */
export interface MessageWithClaims extends ReadMessage {
  /** False if only the message names the key and the claim does not mention it: the key may be forged. */
  readonly isProven: boolean;
  /** Why the row of the key cannot be read as a claim. Other messages are not concerned. */
  readonly unreadable?: Error;
}

const CALL: Limit = { ms: STORE_CALL_MS, signalAt: 1, signalIn: 'signal' };
const LIMITS = { list: CALL, read: CALL };
type BoundedAdmin = Pick<ClaimAdmin, keyof typeof LIMITS>;
const LARGEST_PAGE = 1_000;

/**
 * The claims of messages. A message's claim is found by the first of these that applies: the key that
 * `deadLetterQueue()` put on the message, the key from the caller's function, or parked claims with the
 * message's id. Parked claims are read once, when first needed.
 */
export class ClaimsOfMessages {
  readonly #admin: BoundedAdmin | undefined;
  readonly #keyOf: KeyOfMessage | undefined;
  readonly #options: StoreCallOptions;
  #parked: Promise<ReadonlyMap<string, readonly Claim[]>> | undefined;
  /** The cost of reading the parked claims; undefined if they were not read. */
  parkedRead: ParkedClaimsRead | undefined;

  constructor({ admin, key, clock = systemClock, signal }: ClaimsOptions) {
    this.#admin = admin && bounded(admin, LIMITS, unansweredByStore, clock);
    this.#keyOf = key;
    this.#options = { signal };
  }

  /** Returns the messages with their claims, in order. Rejects when the store or the key function fails. */
  async find(messages: readonly ReadMessage[]): Promise<MessageWithClaims[]> {
    return Promise.all(messages.map((message) => this.#find(message)));
  }

  async #find(read: ReadMessage): Promise<MessageWithClaims> {
    const { message, toldKey } = read;
    const key = toldKey ?? (await this.#keyOf?.(message));
    if (key !== undefined) {
      const claim = await this.#read(key);
      if (claim instanceof Error) {
        return { ...read, message: { ...message, key }, isProven: false, unreadable: claim };
      }
      const isProven = toldKey === undefined || claim === undefined || knowsOf(claim, message);
      const claims = claim === undefined ? [] : [claim];
      return withClaims({ ...read, message: { ...message, key } }, claims, isProven);
    }
    const claims = this.#admin === undefined ? [] : await this.#parkedOf(message.recordId, this.#admin);
    const onlyKey = claims.length === 1 ? claims[0]?.key : undefined;
    return withClaims({ ...read, message: { ...message, ...defined({ key: onlyKey }) } }, claims, true);
  }

  /** Returns an error that is about this key alone: anybody who may send to the queue can name such a key. */
  async #read(key: string): Promise<Claim | Error | undefined> {
    try {
      return await this.#admin?.read(key, this.#options);
    } catch (error) {
      if (isOfOneKey(error)) return error as Error;
      throw error;
    }
  }

  async #parkedOf(recordId: string, admin: BoundedAdmin): Promise<readonly Claim[]> {
    if (recordId === '') return [];
    this.#parked ??= this.#readParked(admin);
    const parked = (await this.#parked).get(recordId) ?? [];
    // The list may be outdated.
    const now = await Promise.all(parked.map(({ key }) => admin.read(key, this.#options)));
    return now.filter((claim) => claim !== undefined);
  }

  async #readParked(admin: BoundedAdmin): Promise<Map<string, Claim[]>> {
    const byId = new Map<string, Claim[]>();
    let cursor: string | undefined;
    do {
      const query = { state: 'parked' as const, limit: LARGEST_PAGE, ...defined({ cursor }) };
      const page = await admin.list(query, this.#options);
      for (const claim of page.claims) {
        // A key made by `messageId()` ends with the record's id.
        const id = claim.recordId ?? claim.key.slice(claim.key.lastIndexOf(':') + 1);
        byId.set(id, [...(byId.get(id) ?? []), claim]);
      }
      this.parkedRead = { readBy: page.readBy, rowsRead: (this.parkedRead?.rowsRead ?? 0) + page.rowsRead };
      cursor = page.next;
    } while (cursor !== undefined);
    return byId;
  }
}

/** UUIDs (SQS, SNS, EventBridge), and the long sequence numbers of Kinesis and DynamoDB Streams. */
const MESSAGE_ID = /^([\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}|\d{21,128})$/i;

/** Whether the claim mentions the message's record or error, which a forger cannot read in any queue. */
function knowsOf({ key, recordId: claimedBy, error: stored }: Claim, message: DeadLetterMessage): boolean {
  const { recordId, error } = message;
  // A claim stores its record's id unless the key ends with it. Old claims store none, and a key that ends
  // with the id counts only if the id cannot be guessed.
  const isNamed = MESSAGE_ID.test(recordId) && key.endsWith(recordId);
  if (claimedBy === undefined ? isNamed : claimedBy === recordId) return true;
  return error !== undefined && stored?.name === error.name && stored.message === error.message;
}

function withClaims(read: ReadMessage, claims: readonly Claim[], isProven: boolean): MessageWithClaims {
  const { message } = read;
  const error = message.error ?? claims.find((claim) => claim.error !== undefined)?.error;
  return { ...read, isProven, message: { ...message, claims, ...defined({ error }) } };
}
