import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import type { ClaimJson } from '../../api-types.ts';
import { SelectAll } from '../../parts/select-all.tsx';
import { ClaimRows, ROWS_TOGETHER } from './claim-rows.tsx';

/** The claims, each with its likely actions. */
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
  const chunks = useChunks(claims);
  return (
    <table class="table stacked claims-table" aria-rowcount={claims.length + 1}>
      <caption class="visually-hidden">Claims</caption>
      <thead>
        <tr>
          {allowChanges && (
            <SelectAll selected={selected.size} of={claims.length} onSelectAll={onSelectAll} />
          )}
          <th scope="col">Key</th>
          <th scope="col" class="cell-state">
            State
          </th>
          <th scope="col" class="number cell-attempt">
            Attempt
          </th>
          <th scope="col" class="cell-since">
            Since
          </th>
          <th scope="col">Held by, or error</th>
          {allowChanges && (
            <th scope="col" class="cell-actions">
              <span class="visually-hidden">Actions</span>
            </th>
          )}
        </tr>
      </thead>
      {chunks.map((chunk, index) => (
        <ClaimRows
          key={index}
          claims={chunk}
          isFar={index > 2}
          selected={selected}
          allowChanges={allowChanges}
          onToggle={onToggle}
          onDone={onDone}
        />
      ))}
    </table>
  );
}

/** Returns the claims in parts. An unchanged part stays the same array, so that it is not drawn again. */
function useChunks(claims: readonly ClaimJson[]): readonly (readonly ClaimJson[])[] {
  const before = useRef<readonly (readonly ClaimJson[])[]>([]);
  const chunks: (readonly ClaimJson[])[] = [];
  for (let from = 0; from < claims.length; from += ROWS_TOGETHER) {
    const chunk = claims.slice(from, from + ROWS_TOGETHER);
    const old = before.current[chunks.length];
    chunks.push(old !== undefined && isSame(old, chunk) ? old : chunk);
  }
  before.current = chunks;
  return chunks;
}

function isSame(one: readonly ClaimJson[], other: readonly ClaimJson[]): boolean {
  return one.length === other.length && one.every((claim, index) => claim === other[index]);
}
