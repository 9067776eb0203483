import type { JSX } from 'preact';
import type { OperationKind, PlanJson } from '../api-types.ts';
import { StateBadge } from '../parts/state-badge.tsx';
import { counted, numberText } from '../text/numbers.ts';
import { shown } from '../text/shown.ts';
import { OPERATION_MEANING, readText, STATES } from '../text/words.ts';
import type { ChangeRequest } from './change-request.ts';

/** The planned changes, with their numbers. */
export function PlanSummary({
  request: { operation, of },
  plan,
  isForced,
  onForce,
}: {
  readonly request: ChangeRequest;
  readonly plan: PlanJson;
  readonly isForced: boolean;
  readonly onForce: (isForced: boolean) => void;
}): JSX.Element {
  const { cost, count } = plan;
  const read = (cost.rowsRead > count || cost.newerRows !== undefined) && (
    <p class="muted small">{readText(cost)}</p>
  );
  if (count === 0) {
    return (
      <>
        <p>There are no such claims any more. Nothing would be changed.</p>
        {cost.newerRows !== undefined && read}
      </>
    );
  }
  return (
    <>
      <p>
        {plan.wouldChange === 0
          ? 'None of these claims would be changed.'
          : meaningOf(operation, plan.wouldChange)}
      </p>
      <dl class="facts facts-small">
        <div>
          <dt>Claims</dt>
          <dd>{shown(of)}</dd>
        </div>
        <div>
          <dt>States</dt>
          <dd class="badges">
            {STATES.map((state) => {
              const count = plan.byState[state] ?? 0;
              return (
                count > 0 && (
                  <span key={state}>
                    {numberText(count)} <StateBadge state={state} />
                  </span>
                )
              );
            })}
          </dd>
        </div>
      </dl>
      {!plan.isWhole && (
        <p class="warning">
          More claims match than one change can take. These are the first {numberText(count)}; repeat it for
          the others.
        </p>
      )}
      <Refused operation={operation} plan={plan} isForced={isForced} onForce={onForce} />
      {plan.notRead !== undefined && <NotRead notRead={plan.notRead} />}
      {count > 1 && <Sample plan={plan} />}
      {read}
    </>
  );
}

function meaningOf(operation: OperationKind, count: number): string {
  const meaning = OPERATION_MEANING[operation];
  if (count !== 1) return `${counted(count, 'claim')} ${meaning}.`;
  const forOne = meaning
    .replace(/^count /, 'counts ')
    .replace(/^do not/, 'does not')
    .replace('until a person releases them', 'until a person releases it')
    .replace(/^are deleted with their/, 'is deleted with its');
  return `The claim ${forOne}.`;
}

/** The changes that would be refused, and how to force them. */
function Refused({
  operation,
  plan: { wouldBeRefused },
  isForced,
  onForce,
}: {
  readonly operation: OperationKind;
  readonly plan: PlanJson;
  readonly isForced: boolean;
  readonly onForce: (isForced: boolean) => void;
}): JSX.Element | null {
  const { running, completed, changed, absent } = wouldBeRefused;
  if (running + completed + changed + absent === 0 && !isForced) return null;
  return (
    <div class="warning">
      {running > 0 && (
        <p>
          {counted(running, 'claim')} in progress would be refused: a handler may be running. Wait until the
          lease has lapsed.
        </p>
      )}
      {completed > 0 && (
        <p>
          {counted(completed, 'completed claim')} would be refused: to run it again would repeat its effect.
        </p>
      )}
      {changed > 0 && (
        <p>{counted(changed, 'claim')} changed since you looked: look at it, and decide again.</p>
      )}
      {absent > 0 && <p>{counted(absent, 'claim')} would be refused: no longer there.</p>}
      {(running + completed > 0 || isForced) && (
        <label class="check">
          <input
            type="checkbox"
            checked={isForced}
            onChange={({ currentTarget }) => onForce(currentTarget.checked)}
          />
          {OPERATION_FORCE[operation]}
        </label>
      )}
    </div>
  );
}

/** The most claims that are named, so that they do not push the buttons off the screen. */
const MOST_NAMED = 5;

function NotRead({ notRead }: { readonly notRead: NonNullable<PlanJson['notRead']> }): JSX.Element {
  return (
    <div class="warning">
      <p>{counted(notRead.length, 'claim')} cannot be read and would not be changed.</p>
      <ul class="sample">
        {notRead.slice(0, MOST_NAMED).map(({ key, error }) => (
          <li key={key}>
            <span class="mono">{shown(key)}</span>: {shown(error)}
          </li>
        ))}
        {notRead.length > MOST_NAMED && (
          <li class="muted">and {counted(notRead.length - MOST_NAMED, 'more claim')}</li>
        )}
      </ul>
    </div>
  );
}

const OPERATION_FORCE: Readonly<Record<OperationKind, string>> = {
  release: 'Release claims that are in progress or completed too',
  resolve: 'Resolve claims that are in progress too',
  park: 'Park claims that are in progress or completed too',
  forget: 'Forget claims that are in progress too',
};

function Sample({ plan: { sample, wouldChange: count } }: { readonly plan: PlanJson }): JSX.Element | null {
  if (sample.length === 0) return null;
  return (
    <ul class="sample">
      {sample.map(({ key }) => (
        <li key={key} class="mono">
          {shown(key)}
        </li>
      ))}
      {count > sample.length && <li class="muted">and {counted(count - sample.length, 'more claim')}</li>}
    </ul>
  );
}
