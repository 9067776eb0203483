import type {
  AcquireOutcome,
  ClaimRequest,
  ClaimStore,
  Completion,
  LeaseExtension,
  OwnedClaim,
  SettleOutcome,
  Settlement,
} from '../../../src/claims/claim-store.ts';
import { type CommitOutcome, contentOf } from '../../../src/claims/commit.ts';
import { hasCode } from '../../../src/base/errors.ts';
import type { CommitItem } from '../../../src/stores/dynamodb/commit-item.ts';
import { identityOf } from '../queue/message.ts';
import { never, type SimProcess } from '../virtual-world/sim-process.ts';
import type { World } from '../virtual-world/world.ts';
import type { AttemptFacts, AttemptRegistry } from './attempt-facts.ts';
import { type ClaimRow, showRow } from './claim-row.ts';
import type { ClaimWatch } from './claim-watch.ts';
import { effectIn } from './effect.ts';
import type { EffectWatch } from './effect-watch.ts';
import type { InvocationWatch } from './invocation-watch.ts';

/**
 * Stands between a process and its store: notes what each attempt asks for, and checks that what it is told
 * was so at some time between question and answer.
 */
export class AnswerWatch {
  readonly #world: World;
  readonly #attempts: AttemptRegistry;
  readonly #claims: ClaimWatch;
  readonly #effects: EffectWatch;
  readonly #invocations: InvocationWatch;

  constructor(
    world: World,
    attempts: AttemptRegistry,
    claims: ClaimWatch,
    effects: EffectWatch,
    invocations: InvocationWatch,
  ) {
    this.#world = world;
    this.#attempts = attempts;
    this.#claims = claims;
    this.#effects = effects;
    this.#invocations = invocations;
  }

  watched(store: ClaimStore, process: SimProcess): ClaimStore {
    return {
      ...store,
      acquire: (requests, options) => {
        requests.forEach((request) => this.#attempts.register(process, request));
        return this.#call(process, requests, () => store.acquire(requests, options), this.#checkAcquire);
      },
      settle: (settlements, options) => {
        for (const what of settlements) {
          const facts = this.#attempts.get(what.owner);
          facts?.settlements.push({ what, ownTime: process.now() });
          if (facts?.commits.at(-1)?.isHeard === true) {
            this.#world.report(
              'commit-ends-the-claim',
              `${what.owner} asks for ${what.end} after its commit`,
            );
          }
        }
        return this.#call(process, settlements, () => store.settle(settlements, options), this.#checkSettle);
      },
      extend: (extensions, options) => {
        for (const what of extensions) {
          this.#attempts.get(what.owner)?.extensions.push({ what, ownTime: process.now() });
        }
        return this.#call(process, extensions, () => store.extend(extensions, options), this.#checkExtend);
      },
      start: (claims, options) =>
        this.#call(
          process,
          claims,
          () => (store as Required<ClaimStore>).start(claims, options),
          this.#checkStart,
        ),
      commit: async (completion, effect, options) => {
        const facts = this.#attempts.get(completion.owner) as AttemptFacts;
        facts.settlements.push({ what: completion, ownTime: process.now() });
        const commit: AttemptFacts['commits'][number] = {
          effect: effectIn(contentOf(effect) as readonly CommitItem[]),
          told: undefined,
          isHeard: false,
        };
        facts.commits.push(commit);
        const [outcome] = await this.#call(
          process,
          [completion],
          async () => [(await store.commit?.(completion, effect, options)) as CommitOutcome],
          (_, told, sinceStep) => this.#checkCommit(completion, commit, told, sinceStep),
        );
        return outcome as CommitOutcome;
      },
      inspect: async (key) => {
        const ended = this.#invocations.underWayIn(process);
        const claim = await store.inspect(key).finally(ended);
        const facts = claim && this.#attempts.get(claim.owner);
        // After a commit that went unanswered a failure is settled, and the row asked; others look for claims of theirs.
        const isAboutCommit =
          facts?.process === process &&
          facts.commits.length > 0 &&
          facts.settlements.some(({ what }) => what.end !== 'complete');
        if (claim?.status === 'COMPLETED' && isAboutCommit) wasTold(facts, true);
        return claim;
      },
    };
  }

  /** The store with what a process has put before it: duplicates that it remembers reach no store. */
  remembering(store: ClaimStore, process: SimProcess): ClaimStore {
    return {
      ...store,
      acquire: async (requests, options) => {
        const outcomes = await store.acquire(requests, options);
        requests.forEach((request, index) => {
          if (outcomes[index]?.status === 'duplicate') this.#noteRemembered(request, process);
        });
        return outcomes;
      },
      commit: async (completion, effect, options) => {
        const outcome = (await store.commit?.(completion, effect, options)) as CommitOutcome;
        const facts = this.#attempts.get(completion.owner);
        const commit = facts?.commits.at(-1);
        if (outcome !== 'stored' || commit === undefined) return outcome;
        commit.isHeard = true;
        if (facts?.run?.isAbandoned !== true) wasTold(facts as AttemptFacts, true);
        return outcome;
      },
    };
  }

  #noteRemembered(request: ClaimRequest, process: SimProcess): void {
    const { key, owner, payloadHash: payload } = request;
    if (!this.#claims.wasCompleted(key, payload)) {
      this.#world.report(
        'answers-are-true',
        `${owner} was told that ${key} is completed, which it never was`,
      );
    }
    this.#attempts.invocationOf(process, request)?.wasTold(identityOf({ key, payload }), true);
  }

  async #call<Item extends { readonly key: string; readonly owner: string }, Outcome>(
    process: SimProcess,
    items: readonly Item[],
    ask: () => Promise<Outcome[]>,
    check: (item: Item, outcome: Outcome | Unknown, sinceStep: number) => void,
  ): Promise<Outcome[]> {
    if (process.isDead) return never();
    const keys = new Set(items.map(({ key }) => key));
    if (keys.size < items.length) {
      this.#world.report('one-key-per-call', items.map(({ key }) => key).join(', '));
    }
    const sinceStep = this.#world.scheduler.steps;
    const ended = this.#underWay(items);
    try {
      const outcomes = await ask();
      items.forEach((item, index) => check(item, outcomes[index] ?? UNKNOWN, sinceStep));
      return outcomes;
    } catch (thrown) {
      for (const item of items) check(item, UNKNOWN, sinceStep);
      throw thrown;
    } finally {
      ended();
    }
  }

  /** Invocations of one process share requests. */
  #underWay(items: readonly { readonly owner: string }[]): () => void {
    const invocations = new Set(items.map(({ owner }) => this.#attempts.get(owner)?.invocation));
    if (invocations.size > 1) this.#world.count('requests that invocations share');
    const ends = [...invocations].map((invocation) => this.#invocations.underWay(invocation));
    return () => ends.forEach((end) => end());
  }

  readonly #checkAcquire = (
    request: ClaimRequest,
    outcome: AcquireOutcome | Unknown,
    sinceStep: number,
  ): void => {
    const { key, owner } = request;
    const facts = this.#attempts.get(owner) as AttemptFacts;
    const wasOnce = this.#states(key, sinceStep);
    let isTrue = true;
    switch (outcome.status) {
      case 'acquired':
        isTrue = wasOnce(
          (row) =>
            isMine(row, owner) && row.attempt === outcome.attempt && row.leaseUntil === outcome.leaseUntil,
        );
        facts.told = { ...outcome, step: this.#world.scheduler.steps };
        break;
      case 'conflict':
        this.#world.count('conflicts');
        facts.invocation?.conflicts.add(key);
        isTrue = wasOnce(
          (row) =>
            row?.status === 'IN_PROGRESS' && row.owner !== owner && row.leaseUntil === outcome.leaseUntil,
        );
        break;
      case 'duplicate':
        this.#world.count('duplicates');
        isTrue = wasOnce((row) => row?.status === 'COMPLETED');
        break;
      case 'parked':
        isTrue = wasOnce((row) => row?.status === 'PARKED');
        break;
      case 'mismatch':
        this.#world.count('mismatches');
        isTrue = wasOnce((row) => row !== undefined && row.payloadHash !== request.payloadHash);
        break;
      case 'error':
      case 'unknown':
        break;
    }
    wasTold(facts, outcome.status === 'duplicate');
    this.#note(facts, 'acquire', key, outcome.status, isTrue);
  };

  readonly #checkSettle = (
    settlement: Settlement,
    outcome: SettleOutcome | Unknown,
    sinceStep: number,
  ): void => {
    const { key, owner, end } = settlement;
    const facts = this.#attempts.get(owner) as AttemptFacts;
    const wasOnce = this.#states(key, sinceStep);
    const isSettled = (row: ClaimRow | undefined): boolean =>
      row?.owner === owner && row.status === STATUS_OF_END[end];
    facts.settlesAnswered += 1;
    let isTrue = true;
    if (outcome === 'stored') {
      isTrue = wasOnce(isSettled);
      if (end === 'complete' && facts.run?.isAbandoned !== true) wasTold(facts, true);
    } else if (outcome === 'lost') {
      this.#world.count('settlements lost');
      isTrue = wasOnce((row) => !isMine(row, owner) && !isSettled(row));
    } else if ('error' in outcome && hasCode(outcome.error, 'BATCHLATCH_ITEM_TOO_LARGE')) {
      this.#world.count('rows too large');
      facts.tooLargeAfter = facts.settlements.length;
    }
    this.#note(facts, end, key, typeof outcome === 'string' ? outcome : 'error', isTrue);
  };

  readonly #checkCommit = (
    { key, owner }: Completion,
    commit: AttemptFacts['commits'][number],
    outcome: CommitOutcome | Unknown,
    sinceStep: number,
  ): void => {
    const facts = this.#attempts.get(owner) as AttemptFacts;
    const wasOnce = this.#states(key, sinceStep);
    const isCompleted = (row: ClaimRow | undefined): boolean =>
      row?.owner === owner && row.status === 'COMPLETED';
    if (outcome === 'stored' || outcome === 'lost') commit.told = outcome;
    else commit.told = 'refused' in outcome ? 'refused' : 'unknown';
    this.#world.count(`commits ${commit.told}`);
    let isTrue = true;
    switch (commit.told) {
      case 'stored':
        isTrue = wasOnce(isCompleted) && this.#effects.isDone(commit.effect);
        facts.settlesAnswered += 1;
        break;
      case 'lost':
        // A commit that is sent again after the retention of its own row is told of what stands there now.
        isTrue =
          wasOnce((row) => !isMine(row, owner) && !isCompleted(row)) &&
          (!this.#effects.isDone(commit.effect) || this.#claims.isForgottenSince(key, owner));
        break;
      case 'refused':
        isTrue = wasOnce((row) => isMine(row, owner)) && !this.#effects.isDone(commit.effect);
        break;
      case 'unknown':
        break;
    }
    this.#note(facts, 'commit', key, commit.told, isTrue);
  };

  readonly #checkStart = (
    { key, owner }: OwnedClaim,
    outcome: SettleOutcome | Unknown,
    sinceStep: number,
  ): void => {
    const facts = this.#attempts.get(owner) as AttemptFacts;
    const wasOnce = this.#states(key, sinceStep);
    let isTrue = true;
    if (outcome === 'stored') isTrue = wasOnce((row) => isMine(row, owner) && row.started === true);
    else if (outcome === 'lost') isTrue = wasOnce((row) => !isMine(row, owner));
    this.#note(facts, 'start', key, typeof outcome === 'string' ? outcome : 'error', isTrue);
  };

  readonly #checkExtend = (
    extension: LeaseExtension,
    outcome: SettleOutcome | Unknown,
    sinceStep: number,
  ): void => {
    const { key, owner, leaseMs } = extension;
    const facts = this.#attempts.get(owner) as AttemptFacts;
    const wasOnce = this.#states(key, sinceStep);
    let isTrue = true;
    if (outcome === 'stored') {
      this.#world.count('leases extended');
      const askedAt = facts.extensions.find(({ what }) => what === extension)?.ownTime ?? Infinity;
      isTrue = wasOnce((row) => isMine(row, owner) && row.leaseUntil >= askedAt + leaseMs);
    } else if (outcome === 'lost') {
      isTrue = wasOnce((row) => !isMine(row, owner));
    }
    this.#note(facts, 'extend', key, typeof outcome === 'string' ? outcome : 'error', isTrue);
  };

  #note(facts: AttemptFacts, question: string, key: string, answer: string, isTrue: boolean): void {
    const { owner, process } = facts;
    this.#world.log(process.name, () => `  ${question} ${key} as ${owner}: ${answer}`);
    if (isTrue) return;
    this.#world.report(
      'answers-are-true',
      `${owner} was told "${answer}" to its ${question} of ${key}, which is ${showRow(this.#claims.current(key))}`,
    );
  }

  #states(key: string, sinceStep: number): (isSuch: (row: ClaimRow | undefined) => boolean) => boolean {
    return (isSuch) => this.#claims.statesSince(key, sinceStep).some(isSuch);
  }
}

/** A call that was rejected, or that answered for fewer than it was asked. */
const UNKNOWN = { status: 'unknown' } as const;
type Unknown = typeof UNKNOWN;

function wasTold({ invocation, request: { what } }: AttemptFacts, isDone: boolean): void {
  invocation?.wasTold(identityOf({ key: what.key, payload: what.payloadHash }), isDone);
}

const STATUS_OF_END = { complete: 'COMPLETED', fail: 'FAILED', release: 'FAILED', park: 'PARKED' } as const;

function isMine(row: ClaimRow | undefined, owner: string): row is ClaimRow {
  return row?.status === 'IN_PROGRESS' && row.owner === owner;
}
