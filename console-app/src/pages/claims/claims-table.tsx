import type { JSX } from 'preact';
import type { ClaimJson } from '../../api-types.ts';
import { ClaimRow } from './claim-row.tsx';

/** The claims, each with what it likely needs. */
export function ClaimsTable({
  claims,
  selected,
  allowChanges,
  onToggle,
  onSelectAll,
  onDone,
}: {
  readonly claims: readonly ClaimJson[];
  readonly selected: ReadonlyMap<string, ClaimJson>;
  readonly allowChanges: boolean;
  readonly onToggle: (claim: ClaimJson) => void;
  readonly onSelectAll: (all: boolean) => void;
  readonly onDone: () => void;
}): JSX.Element {
  const isAll = selected.size === claims.length;
  return (
    <table class="table stacked claims-table">
      <caption class="visually-hidden">Claims</caption>
      <thead>
        <tr>
          {allowChanges && (
            <th scope="col" class="cell-check">
              <input
                type="checkbox"
                aria-label="Select all that are shown"
                checked={isAll}
                ref={(box) => {
                  if (box !== null) box.indeterminate = !isAll && selected.size > 0;
                }}
                onChange={({ currentTarget }) => onSelectAll(currentTarget.checked)}
              />
            </th>
          )}
          <th scope="col">Key</th>
          <th scope="col" class="cell-state">
            State
          </th>
          <th scope="col" class="number cell-attempt">
            Attempt
          </th>
          <th scope="col" class="cell-since">
            Changed
          </th>
          <th scope="col">Held by, or error</th>
          {allowChanges && (
            <th scope="col" class="cell-actions">
              <span class="visually-hidden">Actions</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {claims.map((claim) => (
          <ClaimRow
            key={claim.key}
            claim={claim}
            isSelected={selected.has(claim.key)}
            allowChanges={allowChanges}
            onToggle={onToggle}
            onDone={onDone}
          />
        ))}
      </tbody>
    </table>
  );
}
