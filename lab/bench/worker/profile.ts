import { type Profiler, Session } from 'node:inspector/promises';
import { GARBAGE_COLLECTION, groupOfUrl, NATIVE, OTHER, SOCKET_WRITES } from '../profile-groups.ts';
import type { ProfileResult } from './jobs.ts';

/** A sample each 100 µs: fine enough for functions of a microsecond a record over thousands of records. */
const SAMPLING_MICROS = 100;
const SHOWN_FUNCTIONS = 15;

/** Runs the work under V8's profiler and says whose code the time was spent in. */
export async function profile(records: number, work: () => Promise<void>): Promise<ProfileResult> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: SAMPLING_MICROS });
  await session.post('Profiler.start');
  await work();
  const { profile: recorded } = await session.post('Profiler.stop');
  session.disconnect();

  const groups = new Map<string, number>();
  const functions = new Map<string, number>();
  for (const { name, group, micros } of selfTimes(recorded)) {
    add(groups, group, micros / records);
    add(functions, name, micros / records);
  }
  return {
    records,
    groups: Object.fromEntries(descending(groups)),
    functions: descending(functions)
      .slice(0, SHOWN_FUNCTIONS)
      .map(([name, micros]) => ({ name, micros })),
    raw: JSON.stringify(recorded),
  };
}

interface SelfTime {
  readonly name: string;
  readonly group: string;
  readonly micros: number;
}

function* selfTimes({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): Generator<SelfTime> {
  const micros = new Map<number, number>();
  samples.forEach((id, index) => micros.set(id, (micros.get(id) ?? 0) + (timeDeltas[index] ?? 0)));
  const groups = groupsOf(nodes);
  for (const { id, callFrame } of nodes) {
    const { functionName, url, lineNumber } = callFrame;
    const spent = micros.get(id);
    const group = groups.get(id) ?? OTHER.name;
    if (spent === undefined || functionName === '(idle)' || functionName === '(root)') continue;
    if (group === PROFILER) continue;
    const place = url === '' ? '' : ` (${shortUrl(url)}:${lineNumber + 1})`;
    yield { name: `${functionName || 'anonymous'}${place}`, group, micros: spent };
  }
}

/** Native functions (JSON.stringify, a write to a socket) have no file: they belong to who called them. */
function groupsOf(nodes: readonly Profiler.ProfileNode[]): Map<number, string> {
  const groups = new Map<number, string>();
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const visit = (node: Profiler.ProfileNode, callers: string): void => {
    const group = groupOf(node.callFrame, callers);
    groups.set(node.id, group);
    for (const child of node.children ?? []) {
      const childNode = byId.get(child);
      if (childNode !== undefined) visit(childNode, group);
    }
  };
  if (nodes[0] !== undefined) visit(nodes[0], NATIVE);
  return groups;
}

/** The profiler's own time, which is nobody's. */
const PROFILER = 'the profiler';

function groupOf({ functionName, url }: Profiler.ProfileNode['callFrame'], callers: string): string {
  if (functionName === '(garbage collector)') return GARBAGE_COLLECTION;
  if (functionName === '(program)' || functionName === '(root)') return NATIVE;
  if (functionName === 'runMicrotasks') return NATIVE;
  // The clock runs on while the system lets the emulator work first: this is no measure of the client.
  if (url === '' && /^write(v|Buffer|\w+String)$/.test(functionName)) return SOCKET_WRITES;
  if (url === '') return callers;
  return url.startsWith('node:inspector') ? PROFILER : groupOfUrl(url);
}

function shortUrl(url: string): string {
  const inPackage = /node_modules\/((?!.*node_modules\/).+)$/.exec(url)?.[1];
  return inPackage?.replace(/(dist|dist-cjs|dist-es|lib\/esm)\//, '') ?? url.replace(/^file:.*\//, '');
}

function add(totals: Map<string, number>, name: string, amount: number): void {
  totals.set(name, (totals.get(name) ?? 0) + amount);
}

function descending(totals: ReadonlyMap<string, number>): [string, number][] {
  return [...totals].sort(([, a], [, b]) => b - a);
}
