import { claimJson, claimStatistics, claimTimeline, inspectClaim, listClaims } from 'batchlatch/operations';
import * as z from 'zod';
import { isoTime } from '../../tool-base/iso-time.ts';
import { parkedText } from '../claims/claim-cells.ts';
import { nextStepJson } from '../claims/show-claims.ts';
import { findNamed } from '../claims/find-claims.ts';
import { planChange } from '../claims/plan-change.ts';
import { PARKED_KINDS, STATES } from '../claims/state-selection.ts';
import { CliError } from '../cli-error.ts';
import { clockOf } from '../clock.ts';
import type { Toolbox } from './toolbox.ts';

const OPERATIONS = ['release', 'resolve', 'park', 'forget'] as const;

const key = z.string().min(1).describe('The key of the claim, as list_claims gives it');

/** Adds the tools that read claims. */
export function addClaimTools(tools: Toolbox): void {
  addList(tools);
  addFind(tools);
  addExplain(tools);
  addStatistics(tools);
}

function addList({ add, claims, context }: Toolbox): void {
  add({
    name: 'list_claims',
    description:
      'Lists claims by state or by the beginning of their key. Without a state that an index finds ' +
      '(overdue, in-progress, parked) it reads rows until it has enough. Parked claims wait for a person: ' +
      'lapsed means that the outcome is unknown, failed that the handler failed for good.',
    input: {
      state: z.enum(STATES).optional(),
      parked: z
        .enum(PARKED_KINDS)
        .optional()
        .describe('Only parked claims of this kind; state is then parked'),
      prefix: z.string().min(1).optional().describe('Only keys that begin with this, such as orders#'),
      limit: z.int().min(1).max(200).default(20),
      cursor: z.string().optional().describe('`next` of the answer before, to go on after it'),
    },
    async answer({ state, parked, prefix, limit, cursor }, signal) {
      const query = {
        limit,
        ...(state !== undefined && { state }),
        ...(parked !== undefined && { parked }),
        ...(prefix !== undefined && { keyPrefix: prefix }),
        ...(cursor !== undefined && { cursor }),
      };
      const { claims: found, next, ...reading } = await listClaims(claims.store, query, { signal });
      const now = context.now();
      return { claims: found.map((claim) => claimJson(claim, now)), next: next ?? null, ...reading };
    },
  });
}

function addFind({ add, claims, context }: Toolbox): void {
  add({
    name: 'show_claim',
    description:
      'Shows a claim with the changes that people made, by its key (one read), or by the hash that log ' +
      'lines show or the id of its record, such as a messageId (reads rows). Give one of the three.',
    input: {
      key: key.optional(),
      hash: z
        .string()
        .regex(/^[0-9a-f]{16}$/i)
        .optional(),
      recordId: z.string().min(1).optional(),
    },
    async answer({ key: name, hash, recordId }, signal) {
      const keys = name === undefined ? [] : [name];
      const named = { ...(hash !== undefined && { hash }), ...(recordId !== undefined && { recordId }) };
      if (keys.length + Object.keys(named).length !== 1) {
        throw new CliError('Expected one of key, hash and recordId: got none or several.');
      }
      const found = await findNamed(claims.store, keys, named, { ...context, signal });
      const [unread] = found.notRead;
      if (unread !== undefined) throw unread.error;
      const { newer } = found;
      return {
        claims: found.claims.map((claim) => claimJson(claim, context.now())),
        ...(newer !== undefined && { newer }),
      };
    },
  });
}

function addExplain({ add, claims, context }: Toolbox): void {
  add({
    name: 'explain_claim',
    description:
      'Explains a claim: what happened to it in order, what it waits for, and what each change would do ' +
      'to it or why it would be refused. Read it before you propose a change.',
    input: { key },
    async answer({ key: name }, signal) {
      const claim = await inspectClaim(claims.store, name, { signal });
      if (claim === undefined)
        return { claim: null, meaning: `There is no claim of this key in ${claims.place}.` };
      const now = context.now();
      const whyParked = parkedText(claim);
      return {
        claim: claimJson(claim, now),
        nextStep: nextStepJson(claim, now),
        ...(whyParked !== undefined && { whyParked }),
        timeline: claimTimeline(claim, now).map(({ at, ...event }) => ({
          at: isoTime(at) ?? null,
          ...event,
        })),
        changes: Object.fromEntries(
          OPERATIONS.map((operation) => [operation, planChange(operation, claim, false, now).effect]),
        ),
      };
    },
  });
}

function addStatistics({ add, claims, context }: Toolbox): void {
  add({
    name: 'claim_stats',
    description:
      'Counts claims by state, with their waiting and running times and attempts. Reads every row up to ' +
      'the limit: a read unit for each 4 KB of a DynamoDB table.',
    input: {
      prefix: z.string().min(1).optional(),
      limit: z.int().min(1).max(1_000_000).default(10_000).describe('The most claims to read'),
    },
    async answer({ prefix, limit }, signal) {
      const { oldestOverdue, ...statistics } = await claimStatistics(claims.store, {
        limit,
        signal,
        clock: clockOf(context),
        ...(prefix !== undefined && { keyPrefix: prefix }),
      });
      const oldest = oldestOverdue === undefined ? null : claimJson(oldestOverdue, context.now());
      return { ...statistics, oldestOverdue: oldest };
    },
  });
}
