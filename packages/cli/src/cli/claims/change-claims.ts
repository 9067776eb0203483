import {
  type Claim,
  claimJson,
  type ClaimsChange,
  listClaims,
  operateOnClaims,
  type OperateOutcome,
  type OperationKind,
} from 'batchlatch/operations';
import type { TableOptions } from '../arguments/common-options.ts';
import { ask, assertCanAsk, type Consent } from '../ask.ts';
import { UsageError } from '../cli-error.ts';
import { type Claims, withClaims } from '../connect/claims.ts';
import type { Context } from '../context.ts';
import type { Run } from '../subcommand.ts';
import { escapeControls } from '../../text/escape-controls.ts';
import { plural, formatNumber } from '../print/plural.ts';
import { shownState } from './claim-cells.ts';
import { collect, tellNewer } from './collect.ts';
import { areNamed, findNamed, type Found, type Named } from './find-claims.ts';
import { type Planned, planChange, refusalText } from './plan-change.ts';
import { type Change, changeJson, reportChanges, statusOf } from './report-changes.ts';
import { assertParked, selectionText, type StateSelection, stateQuery } from './state-selection.ts';

/** The options of `claims release`, `resolve`, `park` and `forget`. */
export interface ChangeOptions extends TableOptions, Named, Consent, StateSelection {
  readonly prefix?: string;
  readonly limit: number;
  readonly reason?: string;
  readonly operator?: string;
  readonly force?: boolean;
  readonly result?: string;
}

/** Returns `claims release`, `resolve`, `park` or `forget`. */
export function changeCommand(operation: OperationKind): Run<ChangeOptions> {
  return (context, options, keys) => {
    const { reason } = options;
    if (reason === undefined) {
      throw new UsageError(
        'Say why: add --reason "…". It is kept on the claim, for whoever looks at it later.',
      );
    }
    const isNamed = isSelected(keys, options);
    assertCanAsk(options, context);
    return withClaims(context, options, async (claims) => {
      const found = await (isNamed
        ? findNamed(claims.store, keys, options, context)
        : findAll(claims, options, context));
      const { force = false } = options;
      const planned = found.claims.map((claim) => planChange(operation, claim, force, context.now()));
      const wanted = planned.filter(({ refused }) => refused === undefined);
      const notChanged: Change[] = [
        ...found.missing.map((name): Change => ({ name, outcome: { status: 'refused', why: 'absent' } })),
        ...found.notRead.map(({ name, error }): Change => ({ name, outcome: { status: 'error', error } })),
        ...planned.flatMap(({ claim, refused }): Change[] =>
          refused === undefined
            ? []
            : [{ name: claim.key, claim, outcome: { status: 'refused', why: refused, found: claim } }],
        ),
      ];
      if (options.dryRun === true) return dryRun(operation, planned, notChanged, context);
      if (wanted.length > 0 && options.yes !== true) {
        showPlan(operation, planned, context);
        if (!(await ask(`${capital(operation)} ${plural(wanted.length, 'claim')}?`, context))) {
          context.screen.note('Nothing was changed.');
          return 1;
        }
      }
      const change: ClaimsChange = {
        operation,
        operator: options.operator ?? context.operator(),
        reason,
        force,
        ...(options.result !== undefined && { result: options.result }),
      };
      const done = await changeAll(
        claims,
        wanted.map(({ claim }) => claim),
        change,
        context,
      );
      const changes = [...done, ...notChanged];
      if (context.screen.isJson) context.screen.json(changeJson(changes, context.now()));
      else reportChanges(operation, changes, context);
      return statusOf(changes);
    });
  };
}

/** Returns whether claims are named one by one, not by state. Throws a `UsageError` for neither or both. */
function isSelected(keys: readonly string[], options: ChangeOptions): boolean {
  const { state, parked, prefix } = options;
  const isNamed = areNamed(keys, options);
  if (isNamed && (state !== undefined || parked !== undefined || prefix !== undefined)) {
    throw new UsageError(
      '--state, --parked and --prefix are for many claims: leave them out where claims are named.',
    );
  }
  assertParked(options);
  if (isNamed || state !== undefined || parked !== undefined) return isNamed;
  throw new UsageError(
    'Name the claims: KEY, --hash HASH or --record-id ID; or ' +
      '--state parked or --parked failed, with --prefix if you like, for many.',
  );
}

async function findAll({ store, place }: Claims, options: ChangeOptions, context: Context): Promise<Found> {
  const { prefix, limit } = options;
  const { claims, newer, next } = await collect(
    (page) =>
      listClaims(
        store,
        {
          ...page,
          ...stateQuery(options),
          ...(prefix !== undefined && { keyPrefix: prefix }),
        },
        { signal: context.signal },
      ),
    limit,
    context,
  );
  tellNewer(newer, context.screen);
  if (next !== undefined) {
    context.screen.note(
      `Only the first ${plural(limit, 'claim')}: there may be more. Run it again, or raise --limit.`,
    );
  }
  if (claims.length === 0) context.screen.note(`No ${selectionText(options)}claims in ${place}.`);
  return { claims, missing: [], notRead: [] };
}

/** The claims of one step; `signal` is checked between steps. */
const AT_ONCE = 100;

/** Waits for what was sent, even after an abort: an abandoned request may have been carried out. */
async function changeAll(
  { store }: Claims,
  wanted: readonly Claim[],
  change: ClaimsChange,
  { signal, screen }: Context,
): Promise<Change[]> {
  const changes: Change[] = [];
  for (let start = 0; start < wanted.length; start += AT_ONCE) {
    const some = wanted.slice(start, start + AT_ONCE);
    const outcomes: readonly OperateOutcome[] = signal.aborted
      ? some.map(() => ({
          status: 'error',
          error: new Error('stopped before it was sent: run the command again'),
        }))
      : await operateOnClaims(store, some, change);
    changes.push(
      ...some.map((claim, index) => ({
        name: claim.key,
        claim,
        outcome: outcomes[index] ?? {
          status: 'error' as const,
          error: new Error('the store gave no answer: look at the claim, then try again'),
        },
      })),
    );
    if (wanted.length > AT_ONCE)
      screen.progress(`${formatNumber(changes.length)} of ${formatNumber(wanted.length)} …`);
  }
  screen.progress(undefined);
  return changes;
}

function dryRun(
  operation: OperationKind,
  planned: readonly Planned[],
  notChanged: readonly Change[],
  context: Context,
): 0 | 1 {
  const { screen } = context;
  const wanted = planned.filter(({ refused }) => refused === undefined);
  if (screen.isJson) {
    const now = context.now();
    const { refused, failed } = changeJson(notChanged, now);
    screen.json({
      wouldChange: wanted.map(({ claim, effect }) => ({ ...claimJson(claim, now), effect })),
      refused,
      ...(failed.length > 0 && { failed }),
    });
  } else {
    showPlan(operation, planned, context);
    for (const { name, outcome } of notChanged) {
      if (outcome.status === 'refused' && outcome.why === 'absent') {
        screen.note(`${escapeControls(name)}: ${refusalText('absent', undefined, context.now())}`);
      } else if (outcome.status === 'error') {
        screen.note(`Not read: ${escapeControls(name)}: ${escapeControls(outcome.error.message)}`);
      }
    }
    screen.note('This was a dry run: nothing was changed.');
  }
  return notChanged.length > 0 ? 1 : 0;
}

/** The most claims of a plan that are printed. */
const MOST_SHOWN = 20;

function showPlan(operation: OperationKind, planned: readonly Planned[], context: Context): void {
  const { screen } = context;
  if (planned.length === 0) return;
  // Refused and risky changes come first, so that they are not among the rows left out.
  const weight = ({ refused, isRisky }: Planned): number =>
    Number(refused !== undefined) * 2 + Number(isRisky);
  const sorted = planned.toSorted((a, b) => weight(b) - weight(a));
  const rows = sorted
    .slice(0, MOST_SHOWN)
    .map(({ claim, effect, refused, isRisky }) => [
      escapeControls(claim.key),
      shownState(claim, context),
      String(claim.attempt),
      refused === undefined && !isRisky ? effect : screen.paint('red', effect),
    ]);
  const columns = [
    { heading: 'KEY', min: 16 },
    { heading: 'STATE' },
    { heading: 'ATTEMPT', isRight: true },
    { heading: `AFTER ${operation.toUpperCase()}`, min: 24 },
  ];
  screen.table(columns, rows, 'note');
  if (planned.length > MOST_SHOWN) screen.note(`… and ${plural(planned.length - MOST_SHOWN, 'more claim')}`);
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
