import { CRASHES, type CrashPoint, FAULTS, type Fault } from '../simulation/faults.ts';
import type { Moment, MomentKind, Run } from '../simulation/run.ts';
import { runFault } from '../simulation/run-fault.ts';
import { escaped, picture } from './svg.ts';

/** One run of one message whose process dies at a point. */
export interface CrashRun {
  readonly fault: Fault;
  readonly run: Run;
}

/** Really run, each time that the picture is made. */
export function crashRuns(): Promise<CrashRun[]> {
  const crashes = FAULTS.filter(({ crashAt }) => crashAt !== undefined);
  return Promise.all(
    crashes.map(async (fault) => ({ fault, run: await runFault(fault, { orders: 1, workers: 1 }) })),
  );
}

/** What is shown of a run, in a word each. */
const SHOWN: Partial<Record<MomentKind, readonly [label: string, name: string]>> = {
  received: ['receive', 'box'],
  claimed: ['claim', 'live'],
  'took over': ['take over', 'live'],
  released: ['set aside', 'box'],
  'handler starts': ['handler', 'live'],
  effect: ['effect', 'done'],
  'effect again': ['asked again', 'failed'],
  completed: ['complete', 'done'],
  duplicate: ['duplicate', 'done'],
  dies: ['✕ dies', 'died'],
  deleted: ['delete', 'box'],
};

const [LEFT, TOP, STEP, ROW, GAP] = [16, 44, 84, 76, 30] as const;

export async function crashPointsPicture(): Promise<string> {
  const runs = await crashRuns();
  const most = Math.max(...runs.map(({ run }) => stepsOf(run).length));
  const rows = runs.map(({ fault, run }, index) => rowOf(fault, run, TOP + index * ROW));
  const width = LEFT * 2 + most * STEP + GAP;
  return picture(
    width,
    TOP + runs.length * ROW + 4,
    'What happens to a message whose process dies at each point, as it was run',
    `<text class="soft" x="${LEFT}" y="26" font-size="13">One message, one worker. After ✕ the message comes again when its visibility timeout is over.</text>\n${rows.join('\n')}`,
  );
}

function rowOf(fault: Fault, run: Run, top: number): string {
  let x: number = LEFT;
  const cells = stepsOf(run).map(({ kind }) => {
    const [label, name] = SHOWN[kind] as readonly [string, string];
    const cell = `<rect class="${name}" x="${x}" y="${top + 20}" width="${STEP - 8}" height="26" rx="5"/><text x="${x + (STEP - 8) / 2}" y="${top + 37}" font-size="12" text-anchor="middle">${label}</text>`;
    x += kind === 'dies' ? STEP + GAP : STEP;
    return cell;
  });
  return `<text x="${LEFT}" y="${top + 12}" font-size="13" font-weight="600">${escaped(`Dies ${CRASHES[fault.crashAt as CrashPoint]}`)}</text>\n${cells.join('\n')}`;
}

function stepsOf(run: Run): Moment[] {
  return run.moments.filter(({ kind }) => SHOWN[kind] !== undefined);
}

/** The same as a table. */
export async function crashPointsTable(): Promise<string> {
  const rows = (await crashRuns()).map(({ fault, run }) => {
    const again = run.moments.slice(run.moments.findIndex(({ kind }) => kind === 'dies') + 1);
    const isTakenOver = again.some(({ kind }) => kind === 'took over');
    const told = again.flatMap(({ kind }) =>
      kind === 'claimed' && isTakenOver ? 'and claims it again, alone' : (NEXT[kind] ?? []),
    );
    const deliveries = run.moments.filter(({ kind }) => kind === 'received').length;
    const starts = run.moments.filter(({ kind }) => kind === 'handler starts').length;
    return `| ${CRASHES[fault.crashAt as CrashPoint]} | ${told.join(', ') || 'nothing: all is done'} | ${deliveries} | ${starts} | ${run.asked['1'] ?? 0} | ${run.charged['1'] ?? 0} |`;
  });
  return [
    '| the process dies … | then | deliveries | handler starts | provider asked | charged |',
    '|---|---|--:|--:|--:|--:|',
    ...rows,
  ].join('\n');
}

const NEXT: Partial<Record<MomentKind, string>> = {
  claimed: 'the next delivery claims the key',
  'took over': 'the next delivery takes the claim over',
  released: 'sets it aside while there are others',
  duplicate: 'the next delivery finds the completion',
  'effect again': 'the provider knows the key',
};
