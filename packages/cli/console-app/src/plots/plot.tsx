import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import UPlot, { type AlignedData, type Options, type Series } from 'uplot';
import { isDark } from '../state/theme.ts';
import { useStore } from '../state/store.ts';
import { localTime } from '../text/times.ts';
import type { Columns } from './series.ts';

/** A line, or a layer of bars. */
export interface PlotSeries {
  readonly name: string;
  /** A custom property with the colour, such as `--failed`. */
  readonly color: string;
  readonly isDashed?: boolean;
}

const HEIGHT = 190;

/** A plot over time. Screen readers get the table beside it. */
export function Plot({
  series,
  columns,
  kind,
  valueText,
  onPoint,
}: {
  readonly series: readonly PlotSeries[];
  readonly columns: Columns;
  readonly kind: 'bars' | 'lines';
  readonly valueText: (value: number) => string;
  /** The index of the point under the pointer; undefined without a pointer. */
  readonly onPoint: (index: number | undefined) => void;
}): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot>(null);
  const dark = useStore(isDark);
  useEffect(() => {
    const parent = box.current;
    if (parent === null) return undefined;
    const options = optionsOf({ parent, series, kind, valueText, onPoint });
    const made = new UPlot(options, columns as AlignedData, parent);
    plot.current = made;
    const resized = new ResizeObserver(() => made.setSize({ width: parent.clientWidth, height: HEIGHT }));
    resized.observe(parent);
    return () => {
      resized.disconnect();
      made.destroy();
    };
    // Colours are read when the plot is made.
  }, [dark]);
  useEffect(() => plot.current?.setData(columns as AlignedData), [columns]);
  return <div class="plot" ref={box} aria-hidden="true" />;
}

function optionsOf({
  parent,
  series,
  kind,
  valueText,
  onPoint,
}: {
  readonly parent: HTMLElement;
  readonly series: readonly PlotSeries[];
  readonly kind: 'bars' | 'lines';
  readonly valueText: (value: number) => string;
  readonly onPoint: (index: number | undefined) => void;
}): Options {
  const line = { stroke: colorOf(parent, '--border'), width: 1 };
  const axis = {
    stroke: colorOf(parent, '--muted'),
    font: `11px ${getComputedStyle(parent).fontFamily}`,
    grid: line,
    ticks: { ...line, size: 4 },
  };
  return {
    width: parent.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { show: kind === 'lines' } },
    scales: {
      ...(kind === 'bars' && { x: { range: withRoomForBars } }),
      y: { range: (_plot, _min, max) => [0, Math.max(max * 1.08, 1)] },
    },
    axes: [
      { ...axis, size: 30, space: 70, values: timeLabels },
      { ...axis, size: 62, space: 36, values: (_plot, ticks) => ticks.map((tick) => valueText(tick)) },
    ],
    series: [{}, ...series.map((one) => seriesOf(parent, one, kind))],
    hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? undefined)] },
  };
}

/** Adds half a bar on each side. */
function withRoomForBars(plot: UPlot, min: number, max: number): [number, number] {
  const [first = min, second = min + 1] = plot.data[0];
  const half = (second - first) / 2;
  return [min - half, max + half];
}

/** Returns hours and minutes; seconds if needed, and the day where it changes. */
function timeLabels(
  _plot: UPlot,
  ticks: readonly number[],
  _axis: number,
  _space: number,
  step: number,
): string[] {
  let dayBefore = '';
  return ticks.map((tick) => {
    const [day = '', time = ''] = localTime(tick * 1_000).split(' ');
    const isOtherDay = day !== dayBefore && dayBefore !== '';
    dayBefore = day;
    if (step >= 86_400 || isOtherDay) return day.slice(5);
    return step < 60 ? time : time.slice(0, 5);
  });
}

function seriesOf(
  parent: HTMLElement,
  { name, color, isDashed }: PlotSeries,
  kind: 'bars' | 'lines',
): Series {
  const stroke = colorOf(parent, color);
  if (kind === 'lines') {
    return { label: name, stroke, width: 1.75, points: { show: false }, ...(isDashed && { dash: [5, 4] }) };
  }
  const bars = UPlot.paths.bars?.({ size: [0.9, 24], gap: 1 });
  return { label: name, fill: stroke, width: 0, points: { show: false }, ...(bars && { paths: bars }) };
}

/** Returns a colour for the canvas: a custom property may be `light-dark(…)`. */
function colorOf(parent: HTMLElement, property: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${property})`;
  parent.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
