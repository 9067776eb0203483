import type { Run } from '../simulation/run.ts';
import { type Bar, type Lane, lanesOf, LEGEND, PICTURE } from '../simulation/timeline.ts';
import { escaped, picture } from './svg.ts';

const { width: WIDTH, left: LEFT, right: RIGHT } = PICTURE;
const [TOP, LANE] = [26, 46] as const;

/** A whole run as a picture: time goes to the right, a line for each order and each worker. */
export function runPicture(run: Run): string {
  const lanes = lanesOf(run);
  const scale = (WIDTH - LEFT - RIGHT) / run.endMs;
  const height = TOP + lanes.length * LANE + 52;
  return picture(
    WIDTH,
    height,
    'The claims of three orders and the invocations of two workers over time',
    [
      ...secondsOf(run).map((second) => tick(second, scale, height - 44)),
      ...lanes.map((lane, index) => laneOf(lane, TOP + index * LANE, scale)),
      `<text class="soft" x="${LEFT}" y="${height - 10}" font-size="12">${LEGEND}</text>`,
    ].join('\n'),
  );
}

function secondsOf({ endMs }: Run): number[] {
  return Array.from({ length: Math.floor(endMs / 5_000) + 1 }, (_, index) => index * 5);
}

function tick(second: number, scale: number, bottom: number): string {
  const x = round(LEFT + second * 1_000 * scale);
  return `<path class="line" d="M${x} ${TOP - 10}V${bottom}" stroke-dasharray="2 4"/><text class="soft" x="${x}" y="${bottom + 14}" font-size="11" text-anchor="middle">${second} s</text>`;
}

function laneOf({ title, bars, signs }: Lane, top: number, scale: number): string {
  return [
    `<text x="16" y="${top + 21}" font-size="13">${escaped(title)}</text>`,
    ...bars.map((bar) => barOf(bar, top, scale)),
    ...signs.map(
      ({ atMs, sign }) =>
        `<text x="${round(LEFT + atMs * scale)}" y="${top + 1}" font-size="13" text-anchor="middle">${sign}</text>`,
    ),
  ].join('\n');
}

function barOf({ fromMs, untilMs, name, label }: Bar, top: number, scale: number): string {
  const [x, width] = [round(LEFT + fromMs * scale), round(Math.max(2, (untilMs - fromMs) * scale))];
  const text =
    width > label.length * 7 + 6
      ? `<text x="${round(x + width / 2)}" y="${top + 21}" font-size="11" text-anchor="middle">${escaped(label)}</text>`
      : '';
  return `<rect class="${name}" x="${x}" y="${top + 6}" width="${width}" height="22" rx="3"/>${text}`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
