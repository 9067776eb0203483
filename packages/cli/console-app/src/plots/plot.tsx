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

type PlotKind = 'bars' | 'lines' | 'log-lines';

const HEIGHT = 190;

/** A plot over time. Screen readers get the table beside it. */
export function Plot({
  series,
  columns,
  kind,
  valueText,
  onPoint,
  onChoose,
}: {
  readonly series: readonly PlotSeries[];
  readonly columns: Columns;
  /** Bars, lines, or lines above a logarithmic axis. */
  readonly kind: PlotKind;
  readonly valueText: (value: number) => string;
  /** The index of the point under the pointer; undefined without a pointer. */
  readonly onPoint: (index: number | undefined) => void;
  /** Called for a click, with the index of the point. */
  readonly onChoose: (index: number) => void;
}): JSX.Element {
  const chosen = useRef(onChoose);
  chosen.current = onChoose;
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
  const choose = (): void => {
    const index = plot.current?.cursor.idx;
    if (index !== undefined && index !== null) chosen.current(index);
  };
  return <div class="plot" ref={box} aria-hidden="true" onClick={choose} />;
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
  readonly kind: PlotKind;
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
    cursor: { y: false, drag: { x: false, y: false }, points: { show: kind !== 'bars' } },
    scales: {
      ...(kind === 'bars' && { x: { range: withRoomForBars } }),
      y: kind === 'log-lines' ? { distr: 3, range: wholeDecades } : { range: fromZero },
    },
    axes: [
      { ...axis, size: 30, space: 70, values: timeLabels },
      {
        ...axis,
        size: 62,
        space: 36,
        values: (_plot, ticks) => ticks.map((tick) => textOf(tick, valueText)),
      },
    ],
    series: [{}, ...series.map((one) => seriesOf(parent, one, kind))],
    hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? undefined)] },
  };
}

function fromZero(_plot: UPlot, _min: number, max: number): [number, number] {
  return [0, Math.max(max * 1.08, 1)];
}

/** Powers of ten around the values, at least one decade. */
function wholeDecades(_plot: UPlot, min: number | null, max: number | null): [number, number] {
  const first = Math.floor(Math.log10(Math.max(min ?? 1, 1)));
  const last = Math.ceil(Math.log10(Math.max(max ?? 1, 1)));
  return [10 ** first, 10 ** Math.max(last, first + 1)];
}

/** A logarithmic axis has ticks without a text. */
function textOf(tick: number | null, valueText: (value: number) => string): string {
  return tick === null ? '' : valueText(tick);
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

function seriesOf(parent: HTMLElement, { name, color, isDashed }: PlotSeries, kind: PlotKind): Series {
  const stroke = colorOf(parent, color);
  if (kind !== 'bars') {
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
