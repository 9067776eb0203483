import type { JSX } from 'preact';
import type { PlotSeries } from './plot.tsx';

/** The series of a plot, with the values at the pointer. */
export function Legend({
  series,
  values,
  kind,
  at,
}: {
  readonly series: readonly PlotSeries[];
  readonly values: readonly string[];
  readonly kind: 'bars' | 'lines';
  readonly at: string;
}): JSX.Element {
  return (
    <div class="legend">
      {series.map(({ name, color, isDashed }, index) => (
        <span key={name} class="legend-item">
          <span
            class={`swatch swatch-${kind}${isDashed === true ? ' swatch-dashed' : ''}`}
            style={{ color: `var(${color})` }}
            aria-hidden="true"
          />
          {name} <b>{values[index]}</b>
        </span>
      ))}
      <span class="legend-at muted">{at}</span>
    </div>
  );
}
