import type { JSX } from 'preact';
import { Ago, LocalTime } from '../parts/age.tsx';
import { numberText } from '../text/numbers.ts';
import { shown } from '../text/shown.ts';
import { stepText } from './step-text.ts';
import { timelineLayout, type TimelineRow } from './timeline-layout.ts';
import type { TimelineStep } from './timeline-steps.ts';

const LANE = 18;
const LEFT = 12;
/** The distance of a row's node from its top. */
const NODE = 16;

/** The history of a claim, oldest first: a list with a drawing beside it. */
export function Timeline({ steps }: { readonly steps: readonly TimelineStep[] }): JSX.Element {
  const rows = timelineLayout(steps);
  const lanes = Math.max(0, ...rows.flatMap(({ lane, rails }) => [lane, ...rails.map((rail) => rail.lane)]));
  const width = LEFT * 2 + lanes * LANE;
  return (
    <ol class="timeline">
      {rows.map((row, index) => (
        <li key={index} class="timeline-row" style={{ paddingLeft: `${width + 8}px` }}>
          <Gutter row={row} width={width} isFirst={index === 0} />
          <Told row={row} />
        </li>
      ))}
    </ol>
  );
}

function Told({ row: { step, skipped } }: { readonly row: TimelineRow }): JSX.Element {
  const { at, by, reason, error } = step;
  return (
    <>
      {skipped > 0 && (
        <p class="muted small">
          {skipped === 1 ? 'One attempt before it left' : `${numberText(skipped)} attempts before it left`} no
          trace.
        </p>
      )}
      <p class="timeline-title">
        <b>{stepText(step)}</b>
        {at !== undefined && (
          <span class="muted">
            {' '}
            <LocalTime at={at} /> (<Ago at={at} />)
          </span>
        )}
      </p>
      {by !== undefined && <p class="mono small muted">{shown(by)}</p>}
      {reason !== undefined && <p>“{shown(reason)}”</p>}
      {error !== undefined && (
        <p class="small">
          <b>{shown(error.name)}</b>: {shown(error.message)}
        </p>
      )}
    </>
  );
}

/** The lines of a row. Below the node they are as long as its text. */
function Gutter({
  row,
  width,
  isFirst,
}: {
  readonly row: TimelineRow;
  readonly width: number;
  readonly isFirst: boolean;
}): JSX.Element {
  const { rails, curves, lost, lane, step } = row;
  return (
    <span class="gutter" style={{ width: `${width}px` }} aria-hidden="true">
      {rails.map((rail) => (
        <span
          key={rail.lane}
          class={`rail rail-${rail.part} ${rail.lane === 0 ? 'rail-key' : 'rail-attempt'}`}
          style={{ left: `${x(rail.lane) - 1}px` }}
        />
      ))}
      <svg width={width} height={NODE * 2} viewBox={`0 0 ${width} ${NODE * 2}`} focusable="false">
        {isFirst && <circle class="origin" cx={x(0)} cy={1} r={3} />}
        {curves.map((curve) => (
          <path key={curve.way} class="curve" d={curvePath(curve.lane, curve.way)} />
        ))}
        {lost.map((each) => (
          <path key={each} class="lost" d={cross(x(each), NODE)} />
        ))}
        <Node step={step} at={x(lane)} />
      </svg>
    </span>
  );
}

/** Attempts are circles, their ends filled; a square on its corner is a person's change. */
function Node({
  step: { what, isByPerson },
  at,
}: {
  readonly step: TimelineStep;
  readonly at: number;
}): JSX.Element {
  if (isByPerson) {
    return <path class={`node node-${what}`} d={`M${at} ${NODE - 7}l7 7-7 7-7-7z`} />;
  }
  return <circle class={`node node-${what}`} cx={at} cy={NODE} r={5.5} />;
}

function x(lane: number): number {
  return LEFT + lane * LANE;
}

function curvePath(lane: number, way: 'out' | 'in'): string {
  const [from, to] = way === 'out' ? [x(0), x(lane)] : [x(lane), x(0)];
  return `M${from} 0C${from} ${NODE} ${to} 0 ${to} ${NODE}`;
}

function cross(at: number, y: number): string {
  return `M${at - 4} ${y - 4}l8 8m0-8l-8 8`;
}
