import type { JSX } from 'preact';
import type { ClaimJson, OperationKind } from '../../api-types.ts';
import { askToChange, seen } from '../../changes/change-request.ts';
import { operationsOf } from '../../changes/operations-of.ts';
import { claimHref, listHref } from '../../filters/claim-filter.ts';
import { Ago } from '../../parts/age.tsx';
import { Link } from '../../parts/link.tsx';
import { memo } from '../../parts/memo.ts';
import { ParkedBadge, StateBadge } from '../../parts/state-badge.tsx';
import { numberText } from '../../text/numbers.ts';
import { shown } from '../../text/shown.ts';
import { OPERATION_NAME } from '../../text/words.ts';

/** The most buttons in a row; the claim's page has all. */
const MOST_BUTTONS = 2;

/** A claim in the list. */
export const ClaimRow = memo(function ClaimRow({
  claim,
  isSelected,
  allowChanges,
  onToggle,
  onDone,
}: {
  readonly claim: ClaimJson;
  readonly isSelected: boolean;
  readonly allowChanges: boolean;
  readonly onToggle: (claim: ClaimJson) => void;
  readonly onDone: () => void;
}): JSX.Element {
  const { key, type, state, releasedAt, parkedKind, attempt } = claim;
  const name = shown(key);
  return (
    <tr class={isSelected ? 'is-selected' : undefined}>
      {allowChanges && (
        <td class="cell-check">
          <input
            type="checkbox"
            aria-label={`Select ${name}`}
            checked={isSelected}
            onChange={() => onToggle(claim)}
          />
        </td>
      )}
      <th scope="row" class="mono">
        <Link href={claimHref(key)}>{name}</Link>
        {type !== undefined && (
          <Link class="type-label" href={listHref(undefined, { type })}>
            {shown(type)}
          </Link>
        )}
      </th>
      <td data-label="State">
        <span class="badges">
          <StateBadge state={state} releasedAt={releasedAt} />
          {parkedKind !== undefined && <ParkedBadge kind={parkedKind} />}
        </span>
      </td>
      <td data-label="Attempt" class="number">
        {numberText(attempt)}
      </td>
      <td data-label="Since">
        <When claim={claim} />
      </td>
      <td data-label="Held by, or error" class="cell-why">
        <Why claim={claim} />
      </td>
      {allowChanges && (
        <td class="cell-actions">
          <RowButtons claim={claim} name={name} onDone={onDone} />
        </td>
      )}
    </tr>
  );
});

function When({ claim: { state, leaseUntil, updatedAt } }: { readonly claim: ClaimJson }): JSX.Element {
  if (state === 'overdue') {
    return (
      <span class="is-overdue">
        <Ago at={leaseUntil} />
      </span>
    );
  }
  return <Ago at={updatedAt} />;
}

function Why({ claim: { error, lockedBy, state } }: { readonly claim: ClaimJson }): JSX.Element | null {
  if (error !== undefined && state !== 'completed') {
    return (
      <span class="clamp" title={shown(error.message)}>
        <b>{shown(error.name)}</b>: {shown(error.message)}
      </span>
    );
  }
  return lockedBy === undefined ? null : <span class="mono small">{shown(lockedBy)}</span>;
}

function RowButtons({
  claim,
  name,
  onDone,
}: {
  readonly claim: ClaimJson;
  readonly name: string;
  readonly onDone: () => void;
}): JSX.Element | null {
  if (claim.state !== 'parked' && claim.state !== 'overdue') return null;
  const ask = (operation: OperationKind): void =>
    askToChange({ operation, of: claim.key, what: { claims: [seen(claim)] }, onDone });
  return (
    <>
      {operationsOf(claim)
        .slice(0, MOST_BUTTONS)
        .map((operation) => (
          <button key={operation} type="button" class="button button-small" onClick={() => ask(operation)}>
            {OPERATION_NAME[operation]}…<span class="visually-hidden"> {name}</span>
          </button>
        ))}
    </>
  );
}
