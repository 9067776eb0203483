import {
  type Claim,
  claimJson,
  type ClaimJson,
  type OperateOutcome,
  type OperationKind,
  type RefusalReason,
} from 'batchlatch/operations';
import type { Context } from '../context.ts';
import { escapeControls } from '../../text/escape-controls.ts';
import { plural } from '../print/plural.ts';
import { shownState } from './claim-cells.ts';
import { refusalText } from './plan-change.ts';

/** The outcome of one claim that was to be changed. */
export interface Change {
  /** The key, or the other name that was given. */
  readonly name: string;
  /** The claim before the change; absent if there was none. */
  readonly claim?: Claim;
  readonly outcome: OperateOutcome;
}

/** The output of `--json` for changes. */
export interface ChangeJson {
  /** `claim` is null if it was forgotten. */
  readonly done: readonly { readonly key: string; readonly claim: ClaimJson | null }[];
  /** `found` is null if there is no such claim. */
  readonly refused: readonly {
    readonly key: string;
    readonly why: RefusalReason;
    readonly message: string;
    readonly found: ClaimJson | null;
  }[];
  readonly failed: readonly { readonly key: string; readonly message: string }[];
}

export function changeJson(changes: readonly Change[], now: number): ChangeJson {
  const json = (claim: Claim | undefined): ClaimJson | null =>
    claim === undefined ? null : claimJson(claim, now);
  return {
    done: changes.flatMap(({ name: key, outcome }) =>
      outcome.status === 'done' ? [{ key, claim: json(outcome.claim) }] : [],
    ),
    refused: changes.flatMap(({ name: key, outcome }) =>
      outcome.status === 'refused'
        ? [
            {
              key,
              why: outcome.why,
              message: refusalText(outcome.why, outcome.found, now),
              found: json(outcome.found),
            },
          ]
        : [],
    ),
    failed: changes.flatMap(({ name: key, outcome }) =>
      outcome.status === 'error' ? [{ key, message: outcome.error.message }] : [],
    ),
  };
}

/** Returns exit status 1 if any change was refused or failed. */
export function statusOf(changes: readonly Change[]): 0 | 1 {
  return changes.every(({ outcome }) => outcome.status === 'done') ? 0 : 1;
}

/** The most successes that are printed, so that they do not hide the failures. */
const MOST_SHOWN = 20;

const DONE = { release: 'Released', resolve: 'Resolved', park: 'Parked', forget: 'Forgot' } as const;

/** Prints the changes that were made, then those that were not, with the claim that was found. */
export function reportChanges(operation: OperationKind, changes: readonly Change[], context: Context): void {
  const { screen } = context;
  const done = changes.filter(({ outcome }) => outcome.status === 'done');
  for (const { name } of done.slice(0, MOST_SHOWN)) {
    screen.line(`${screen.paint('green', DONE[operation])} ${escapeControls(name)}`);
  }
  if (done.length > MOST_SHOWN) screen.line(`… and ${plural(done.length - MOST_SHOWN, 'more claim')}`);
  for (const { name, outcome } of changes) {
    if (outcome.status === 'refused') {
      const found = outcome.found === undefined ? '' : ` [${shownState(outcome.found, context)}]`;
      screen.note(
        `Refused ${escapeControls(name)}${found}: ` +
          escapeControls(refusalText(outcome.why, outcome.found, context.now())),
      );
    } else if (outcome.status === 'error') {
      screen.note(`Failed ${escapeControls(name)}: ${escapeControls(outcome.error.message)}`);
    }
  }
  if (changes.length === done.length ? done.length > MOST_SHOWN : changes.length > 1) {
    screen.note(`${plural(done.length, 'claim')} of ${changes.length} changed.`);
  }
}
