import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ClaimJson } from '../../api-types.ts';
import { memo } from '../../parts/memo.ts';
import { ClaimRow } from './claim-row.tsx';

/** The number of rows that are drawn or omitted together. */
export const ROWS_TOGETHER = 100;
/** How far from the visible part rows are drawn. */
const MARGIN = '1500px 0px';
/** The assumed height of a row, until it is measured. */
const USUAL_HEIGHT = 40;

/**
 * A part of a long list. Far from the visible part it is one empty row of the same height, so that a list of
 * 10,000 claims is as fast as one of 300.
 */
export const ClaimRows = memo(function ClaimRows({
  claims,
  isFar,
  selected,
  allowChanges,
  onToggle,
  onDone,
}: {
  readonly claims: readonly ClaimJson[];
  /** Whether the part begins far down, and need not be drawn at first. */
  readonly isFar: boolean;
  readonly selected: ReadonlyMap<string, ClaimJson>;
  readonly allowChanges: boolean;
  readonly onToggle: (claim: ClaimJson) => void;
  readonly onDone: () => void;
}): JSX.Element {
  const body = useRef<HTMLTableSectionElement>(null);
  const [height, setHeight] = useState(isFar ? claims.length * USUAL_HEIGHT : undefined);
  useEffect(() => {
    const element = body.current;
    if (element === null) return undefined;
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (entry !== undefined)
          setHeight(entry.isIntersecting ? undefined : entry.boundingClientRect.height);
      },
      { rootMargin: MARGIN },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return (
    <tbody ref={body}>
      {height === undefined ? (
        claims.map((claim) => (
          <ClaimRow
            key={claim.key}
            claim={claim}
            isSelected={selected.has(claim.key)}
            allowChanges={allowChanges}
            onToggle={onToggle}
            onDone={onDone}
          />
        ))
      ) : (
        <tr class="rows-left-out">
          <td colSpan={7} style={{ height: `${height}px` }} />
        </tr>
      )}
    </tbody>
  );
});
