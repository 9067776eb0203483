import type { Span, Waterfall, WaterfallRow } from '../api-types.ts';
import { durationText } from '../text/times.ts';

/** A span as it is drawn: its place and length in percent of the whole width. */
interface Bar {
  readonly what: Span['what'];
  readonly left: number;
  readonly width: number;
  /** Such as `Run: 1.2 s`. */
  readonly text: string;
}

/** A row as it is drawn. */
export interface WaterfallLine {
  readonly row: WaterfallRow;
  readonly bars: readonly Bar[];
  /** Such as `Claim 2 ms, wait 0 ms, run 1.2 s, settle 5 ms`. */
  readonly text: string;
}

export const SPAN_NAME: Readonly<Record<Span['what'], string>> = {
  earlier: 'Earlier attempts',
  claim: 'Claim',
  wait: 'Wait',
  run: 'Run',
  settle: 'Settle',
  held: 'Held',
};

/** The most rows that are drawn, the asked one among them. */
const MOST = 40;

/**
 * Returns where the spans of a waterfall are drawn, and its length. Earlier attempts are left to text:
 * beside minutes, milliseconds could not be seen.
 */
export function waterfallLayout({ rows }: Pick<Waterfall, 'rows'>): {
  readonly lines: readonly WaterfallLine[];
  readonly totalMs: number;
  readonly leftOut: number;
} {
  const shown = rows.filter(({ isAsked }, index) => isAsked || index < MOST - 1);
  const spans = shown.flatMap((row) => drawnOf(row));
  const from = Math.min(...spans.map((span) => span.from));
  const totalMs = Math.max(1, Math.max(...spans.map((span) => span.until)) - from);
  const lines = shown.map((row): WaterfallLine => ({
    row,
    bars: drawnOf(row).map((span) => ({
      what: span.what,
      left: ((span.from - from) / totalMs) * 100,
      width: ((span.until - span.from) / totalMs) * 100,
      text: `${SPAN_NAME[span.what]}: ${durationText(span.until - span.from)}`,
    })),
    text: drawnOf(row)
      .map((span) => `${SPAN_NAME[span.what].toLowerCase()} ${durationText(span.until - span.from)}`)
      .join(', '),
  }));
  return { lines, totalMs, leftOut: rows.length - shown.length };
}

function drawnOf({ spans }: WaterfallRow): readonly Span[] {
  return spans.filter(({ what }) => what !== 'earlier');
}
