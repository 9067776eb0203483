import { escaped, picture } from '../pictures/svg.ts';
import { duration } from './duration.ts';
import type { Delivery, Life } from './life-of-message.ts';

const [WIDTH, LEFT, RIGHT, TOP, LANE, HEIGHT] = [900, 92, 24, 30, 46, 232] as const;
/** More than these are too narrow to be told apart. */
const MOST_DRAWN = 40;
const LANES = ['queue', 'handler', 'claim'] as const;
const OUTCOMES: Readonly<Record<Delivery['outcome'], { readonly name: string; readonly sign: string }>> = {
  failed: { name: 'failed', sign: 'fails' },
  died: { name: 'died', sign: '✕' },
  interrupted: { name: 'died', sign: 'time is up' },
  conflict: { name: 'parked', sign: '⊘' },
};
const LEGEND =
  '⊘ met a live lease   ✕ the process dies   dashed: the message is visible again   † dead-letter queue, or deleted';

/** The life of a message as a picture: time goes to the right; a line for the queue, the handler, the claim. */
export function lifePicture(life: Life): string {
  const drawn = life.deliveries.slice(0, MOST_DRAWN);
  const isAll = drawn.length === life.deliveries.length;
  const endMs = Math.max(isAll ? life.end.atMs : (drawn.at(-1)?.visibleAtMs ?? 0), 1);
  const x = (ms: number): number =>
    Math.round((LEFT + ((WIDTH - LEFT - RIGHT) * Math.min(ms, endMs)) / endMs) * 10) / 10;
  const parts = [
    ...LANES.map((title, lane) => `<text x="16" y="${top(lane) + 21}" font-size="13">${title}</text>`),
    ...ticks(endMs, x),
    ...drawn.map((delivery, index) => deliveryOf(delivery, index + 1, x)),
    ...drawn.map((delivery, index) => claimOf(delivery, drawn[index + 1]?.atMs ?? endMs, x)),
    isAll ? sign(x(endMs), top(0) + 22, '†') : sign(x(endMs), top(0) + 22, '…'),
    `<text class="soft" x="${LEFT}" y="${HEIGHT - 10}" font-size="12">${LEGEND}</text>`,
  ];
  return picture(WIDTH, HEIGHT, 'The deliveries of one failing message over time', parts.join('\n'));
}

function top(lane: number): number {
  return TOP + lane * LANE;
}

type Scale = (ms: number) => number;

function deliveryOf({ atMs, untilMs, visibleAtMs, outcome }: Delivery, number: number, x: Scale): string {
  const { name, sign: label } = OUTCOMES[outcome];
  return [
    bar({ name: 'box', from: x(atMs), until: x(visibleAtMs), lane: 0, label: `${number}` }),
    `<path class="line" d="M${x(atMs)} ${TOP - 6}V${top(3)}" stroke-dasharray="2 4"/>`,
    outcome === 'conflict'
      ? sign(x(atMs) + 7, top(1) + 22, label)
      : bar({ name, from: x(atMs), until: x(untilMs), lane: 1, label }),
  ].join('');
}

/** The lease while it is live, and the row after it or after its end. */
function claimOf(delivery: Delivery, nextMs: number, x: Scale): string {
  const { atMs, untilMs, leaseUntilMs, outcome, attempt } = delivery;
  const settledMs = outcome === 'failed' ? Math.min(untilMs, leaseUntilMs) : leaseUntilMs;
  const liveUntilMs = Math.min(settledMs, nextMs);
  const after = outcome === 'failed' && untilMs <= leaseUntilMs ? 'failed' : 'died';
  const rest = liveUntilMs < nextMs;
  return [
    bar({ name: 'live', from: x(atMs), until: x(liveUntilMs), lane: 2, label: `attempt ${attempt}` }),
    rest
      ? bar({
          name: after,
          from: x(liveUntilMs),
          until: x(nextMs),
          lane: 2,
          label: after === 'failed' ? 'free' : 'lease over',
        })
      : '',
  ].join('');
}

interface Bar {
  readonly name: string;
  readonly from: number;
  readonly until: number;
  readonly lane: number;
  readonly label: string;
}

function bar({ name, from, until, lane, label }: Bar): string {
  const width = Math.max(2, Math.round((until - from) * 10) / 10);
  const text =
    width > label.length * 7 + 6
      ? `<text x="${from + width / 2}" y="${top(lane) + 21}" font-size="11" text-anchor="middle">${escaped(label)}</text>`
      : '';
  return `<rect class="${name}" x="${from}" y="${top(lane) + 6}" width="${width}" height="22" rx="3"/>${text}`;
}

function sign(x: number, y: number, text: string): string {
  return `<text x="${x}" y="${y}" font-size="13" text-anchor="middle">${text}</text>`;
}

/** Round steps, so that there are four to nine of them. */
const STEPS_S = [1, 5, 15, 30, 60, 300, 900, 1_800, 3_600, 10_800, 21_600, 43_200, 86_400, 172_800];

function ticks(endMs: number, x: Scale): string[] {
  const stepMs = (STEPS_S.find((step) => endMs / (step * 1_000) <= 9) ?? 172_800) * 1_000;
  const bottom = top(LANES.length) + 4;
  return Array.from({ length: Math.floor(endMs / stepMs) + 1 }, (_, index) => index * stepMs).map(
    (ms) =>
      `<path class="time" d="M${x(ms)} ${bottom}v6"/><text class="soft" x="${x(ms)}" y="${bottom + 20}" font-size="11" text-anchor="middle">${duration(ms)}</text>`,
  );
}
