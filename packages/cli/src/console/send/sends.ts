import { randomUUID } from 'node:crypto';
import {
  type Claim,
  type ClaimAdmin,
  claimJson,
  type DeadLetterMessage,
  type KeyOfMessage,
  releaseClaim,
  type SeenClaim,
  stateOf,
} from 'batchlatch/operations';
import type { Clock } from '../../tool-base/clock.ts';
import type { ActionLog } from '../action-log.ts';
import type { ActionJson, QueueJson } from '../api.ts';
import { ApiError, badRequest } from '../api-error.ts';
import { chosenOf, seenOf } from '../change-plan.ts';
import type { Caller } from '../caller.ts';
import { checkInput, INPUTS } from '../inputs.ts';
import type { Plans } from '../plans.ts';
import type { MessageSender, MessageToSend } from './message-sender.ts';
import type { SendPlanJson, SendPlanRequest, SendRequest, SentJson } from './send-api.ts';

export interface SendsPorts {
  readonly sender: MessageSender | undefined;
  readonly queues: readonly QueueJson[];
  readonly key: KeyOfMessage | undefined;
  readonly store: ClaimAdmin;
  readonly clock: Clock;
  readonly actions: ActionLog;
  readonly plans: Plans<SendPlan>;
}

/** A planned message. */
export interface SendPlan {
  readonly message: MessageToSend;
  /** The claim to release before, as it was seen. */
  readonly release: SeenClaim | undefined;
}

/** Members checked against `INPUTS`. */
type Input = Readonly<Record<string, unknown>>;

/** The messages that a person sends, in two steps: a plan with its claim, then the sending. */
export class Sends {
  readonly #ports: SendsPorts;

  constructor(ports: SendsPorts) {
    this.#ports = ports;
  }

  /** Derives the key of a message, and reads its claim. */
  async plan(input: Input, signal: AbortSignal): Promise<SendPlanJson> {
    const { queue, release = false, ...rest } = input as unknown as SendPlanRequest;
    const { sender, queueUrl } = this.#open(queue);
    const message = { ...rest, queueUrl };
    const problem = sender.problemOf(message);
    if (problem !== undefined) throw badRequest(`The message ${problem}.`);
    const { store, clock, plans } = this.#ports;
    const key = await this.#keyOf(message);
    const claim = key === undefined ? undefined : await store.read(key, { signal });
    const now = clock.now();
    const effect = key === undefined ? 'unknown' : effectOf(claim, now);
    const releases = release && claim !== undefined && (effect === 'duplicate' || effect === 'parked');
    const { id, expiresAt } = plans.keep({ message, release: releases ? seenOf(claim) : undefined });
    return {
      plan: id,
      ...(key !== undefined && { key }),
      ...(claim !== undefined && { claim: claimJson(claim, now) }),
      effect: releases ? 'runs' : effect,
      releases,
      expiresAt,
    };
  }

  /** Sends a planned message, once. A claim that is to be released is released before. */
  async send(input: Input, { operator }: Pick<Caller, 'operator'>): Promise<SentJson> {
    const { plan, reason } = input as unknown as SendRequest;
    const { plans, clock, actions } = this.#ports;
    const { message, release } = plans.get(plan);
    plans.drop(plan);
    const { sender } = this.#open(message.queueUrl);
    if (!(await actions.isFirst(plan))) {
      throw new ApiError(409, 'no-plan', 'This plan was already carried out. Plan again to send one more.');
    }
    const started: ActionJson = {
      at: new Date(clock.now()).toISOString(),
      operator,
      what: 'send',
      reason,
      asked: 1,
      done: 0,
      refused: 0,
      failed: 0,
      job: randomUUID(),
    };
    await actions.begin(started, release === undefined ? [] : [release]);
    try {
      if (release !== undefined) await this.#release(release, { operator, reason });
      const sent = await sender.send(message);
      await actions.end({ ...started, done: 1, ended: 'whole' });
      return sent;
    } catch (error) {
      await actions.end({ ...started, failed: 1, ended: 'failed' });
      throw error;
    }
  }

  /** Returns the key that the body gives; undefined if keys are message ids. */
  async #keyOf(message: MessageToSend): Promise<string | undefined> {
    const { key } = this.#ports;
    const one = await key?.(unsent(message, 'one'));
    return one !== undefined && one === (await key?.(unsent(message, 'other'))) ? one : undefined;
  }

  async #release(
    claim: SeenClaim,
    by: { readonly operator: string; readonly reason: string },
  ): Promise<void> {
    const outcome = await releaseClaim(this.#ports.store, claim, { ...by, force: true });
    if (outcome.status === 'done') return;
    if (outcome.status === 'error') throw outcome.error;
    throw new ApiError(409, 'not-released', 'The claim has changed meanwhile. Nothing was sent: look again.');
  }

  #open(queue: string): { readonly sender: MessageSender; readonly queueUrl: string } {
    const { sender, queues } = this.#ports;
    const known = queues.find(({ url, name }) => url === queue || name === queue);
    if (known === undefined) {
      throw new ApiError(404, 'no-queue', 'The console was not started with this queue. Add --queue.');
    }
    if (sender === undefined) {
      throw new ApiError(
        403,
        'no-sending',
        'This console sends no messages. Set `allowSending` of ClaimsConsole.',
      );
    }
    if (known.isDeadLetter)
      throw badRequest('Messages are not sent to a dead-letter queue. Choose its source queue.');
    return { sender, queueUrl: known.url };
  }
}

/** Checks a plan that a page sends back. Throws an `ApiError` for anything else. */
export function sendPlanIn({ message, release }: Readonly<Record<string, unknown>>): SendPlan {
  const { queueUrl, ...rest } = (message ?? {}) as Readonly<Record<string, unknown>>;
  checkInput('plan', { queue: queueUrl, ...rest }, INPUTS['POST /api/send/plan']);
  const [claim] = release === undefined ? [] : chosenOf([release]);
  return { message: message as MessageToSend, release: claim };
}

function effectOf(claim: Claim | undefined, now: number): SendPlanJson['effect'] {
  if (claim === undefined) return 'runs';
  switch (stateOf(claim, now)) {
    case 'completed':
      return 'duplicate';
    case 'parked':
      return 'parked';
    case 'in-progress':
      return 'conflict';
    case 'failed':
    case 'overdue':
      return 'runs';
  }
}

function unsent({ body, groupId }: MessageToSend, id: string): DeadLetterMessage {
  return {
    messageId: id,
    recordId: id,
    body,
    receiveCount: 0,
    attributes: {},
    sentBy: 'unknown',
    claims: [],
    ...(groupId !== undefined && { messageGroupId: groupId }),
  };
}
