import { faultNamed } from '../simulation/faults.ts';
import type { Moment, MomentKind, Run } from '../simulation/run.ts';
import { runFault } from '../simulation/run-fault.ts';
import { escaped, picture } from './svg.ts';

const [BLOCK, CELL, GAP, MARGIN, TITLE] = [182, 30, 12, 14, 44] as const;
const BLOCK_HEIGHT = TITLE + 3 * CELL + 8;
/** Seconds of the animation from one step to the next. It ends within five seconds and does not repeat. */
const STEP_S = 1.2;

/** A step of the batch: its name, the moment of the run that it shows, and a cell for each order. */
interface Step {
  readonly title: string;
  readonly kind: MomentKind;
  readonly cell: (before: readonly Moment[], order: string) => readonly [name: string, text: string];
}

const STEPS: readonly Step[] = [
  { title: 'claims the batch', kind: 'claimed', cell: () => ['live', 'claimed, lease live'] },
  {
    title: 'the process crashes',
    kind: 'dies',
    cell: (before, order) =>
      hasBeen(before, order, 'effect') ? ['died', 'charged, not stored'] : ['died', 'not charged yet'],
  },
  { title: 'takes over', kind: 'took over', cell: () => ['live', 'attempt 2'] },
  {
    title: 'responds',
    kind: 'answers',
    cell: (before, order) => {
      if (!hasBeen(before, order, 'completed')) return ['failed', 'comes again'];
      return hasBeen(before, order, 'effect again')
        ? ['done', 'same key: not charged']
        : ['done', 'charged, completed'];
    },
  },
];

/**
 * One batch of three orders, as it was run: claim, crash, takeover, response. `columns`: 4, or 2 on a phone.
 * The picture moves under the address with `#moving`: an image does not know whether its reader prefers reduced motion.
 */
export async function oneBatchPicture(columns: number): Promise<string> {
  const run = await runFault(faultNamed('after-effect'), { orders: 3, workers: 1 });
  const rows = Math.ceil(STEPS.length / columns);
  const blocks = STEPS.map((step, index) => {
    const x = MARGIN + (index % columns) * (BLOCK + GAP);
    const y = MARGIN + Math.floor(index / columns) * (BLOCK_HEIGHT + GAP);
    return `<g class="step" style="animation-delay: ${index * STEP_S}s">${block(run, step, index, { x, y })}</g>`;
  });
  return picture(
    MARGIN * 2 + columns * BLOCK + (columns - 1) * GAP,
    MARGIN * 2 + rows * BLOCK_HEIGHT + (rows - 1) * GAP,
    'One batch: three orders are claimed, the process crashes, another takes over, and nothing comes again',
    `<style>
  #moving:target .step { animation: appear 0.6s ease-out both; }
  @keyframes appear { from { opacity: 0; } }
</style>
<g id="moving">
${blocks.join('\n')}
</g>`,
  );
}

function block(run: Run, step: Step, index: number, { x, y }: { readonly x: number; readonly y: number }) {
  const moment = run.moments.find(({ kind }) => kind === step.kind);
  if (moment === undefined) throw new Error(`The run has no moment "${step.kind}"`);
  const before = run.moments.filter(({ atMs }) => atMs <= moment.atMs);
  const cells = run.orders.map((order, row) => {
    const [name, text] = step.cell(before, order);
    const top = y + TITLE + row * CELL;
    return `<rect class="${name}" x="${x}" y="${top}" width="${BLOCK}" height="${CELL - 5}" rx="4"/><text x="${x + 8}" y="${top + 17}" font-size="12">${escaped(`${order}  ${text}`)}</text>`;
  });
  const time = `${(moment.atMs / 1_000).toFixed(1)} s`;
  return [
    `<text x="${x}" y="${y + 16}" font-size="13" font-weight="600">${index + 1}  ${step.title}</text>`,
    `<text class="soft" x="${x}" y="${y + 35}" font-size="12">${escaped(`${time}, process ${moment.process ?? ''}`)}</text>`,
    ...cells,
  ].join('');
}

function hasBeen(before: readonly Moment[], order: string, wanted: MomentKind): boolean {
  return before.some((moment) => moment.order === order && moment.kind === wanted);
}
