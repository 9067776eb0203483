import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { ClaimJson, OperationKind } from '../../api-types.ts';
import { askToChange, seen } from '../../changes/change-request.ts';
import { operationsOf } from '../../changes/operations-of.ts';
import { type ClaimFilter, filterText, hrefOf, requestOf } from '../../filters/claim-filter.ts';
import { counted, numberText } from '../../text/numbers.ts';
import { OPERATION_NAME } from '../../text/words.ts';

const OPERATIONS = ['release', 'resolve', 'park', 'forget'] as const satisfies readonly OperationKind[];

/** The limit of one request. */
const MOST_SELECTED = 4_000;

/** The actions on the selected claims, or on all that match the filter. */
export function BulkBar({
  filter,
  selected,
  shown,
  hasMore,
  allowChanges,
  onClear,
  onDone,
}: {
  readonly filter: ClaimFilter;
  readonly selected: readonly ClaimJson[];
  readonly shown: number;
  readonly hasMore: boolean;
  readonly allowChanges: boolean;
  readonly onClear: () => void;
  readonly onDone: () => void;
}): JSX.Element | null {
  const [isEveryMatch, setEveryMatch] = useState(false);
  const of = hrefOf(filter);
  useEffect(() => setEveryMatch(false), [of]);
  if (!allowChanges || (shown === 0 && !hasMore)) return null;
  const words = isEveryMatch ? `all that match: ${filterText(filter)}` : counted(selected.length, 'claim');
  const ask = (operation: OperationKind): void =>
    askToChange({
      operation,
      of: isEveryMatch ? words : `${words} selected`,
      what: isEveryMatch ? { filter: requestOf(filter) } : { claims: selected.map(seen) },
      onDone,
    });
  const askAll = (operation: OperationKind): void =>
    askToChange({
      operation,
      of: `all that match: ${filterText(filter)}`,
      what: { filter: requestOf(filter) },
      onDone,
    });
  const first = isEveryMatch || selected.length > 0 ? undefined : firstOf(filter);
  const isTooMany = !isEveryMatch && selected.length > MOST_SELECTED;
  const hasAny = isEveryMatch || (selected.length > 0 && !isTooMany);
  const selectionText = (): string => {
    if (isEveryMatch) return 'All that match';
    if (selected.length === 0) return 'None selected';
    return isTooMany
      ? `${words} selected: too many. Select at most ${numberText(MOST_SELECTED)}, or all that match`
      : `${words} selected`;
  };
  return (
    <div class={hasAny ? 'bulk bulk-active' : 'bulk'} role="group" aria-label="Change claims">
      <label class="check">
        <input
          type="checkbox"
          checked={isEveryMatch}
          onChange={({ currentTarget }) => setEveryMatch(currentTarget.checked)}
        />
        All that match this filter
      </label>
      <span role="status" class="bulk-count">
        {selectionText()}
      </span>
      <span class="bulk-buttons">
        {first !== undefined && (
          <button type="button" class="button button-primary" onClick={() => askAll(first)}>
            {OPERATION_NAME[first]} all that match…
          </button>
        )}
        {OPERATIONS.map((operation) => (
          <button
            key={operation}
            type="button"
            class={operation === 'forget' ? 'button button-danger-plain' : 'button'}
            disabled={!hasAny}
            onClick={() => ask(operation)}
          >
            {OPERATION_NAME[operation]}…
          </button>
        ))}
        {selected.length > 0 && !isEveryMatch && (
          <button type="button" class="button button-plain" onClick={onClear}>
            Clear selection
          </button>
        )}
      </span>
    </div>
  );
}

/** Returns the likely operation for all claims of a filter; undefined if they are of many kinds. */
function firstOf({ state, parked, by, q, narrow }: ClaimFilter): OperationKind | undefined {
  if (state === 'parked')
    return operationsOf({ state, ...(parked !== undefined && { parkedKind: parked }) })[0];
  if (state !== undefined) return undefined;
  return narrow?.error !== undefined || ((by === 'prefix' || by === 'any') && q !== '')
    ? 'release'
    : undefined;
}
