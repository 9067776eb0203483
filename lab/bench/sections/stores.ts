import { ON_SERVERS, perRecordOn, STORES } from '../compared.ts';
import { type ContenderName, serverOf } from '../contenders/index.ts';
import type { Lab } from '../harness/lab.ts';
import type { Progress } from '../harness/progress.ts';
import { startStoreServers } from '../harness/store-servers.ts';
import type { Plan } from '../plan.ts';
import { nameOf } from '../workload.ts';
import { type Cell, measureCell } from './cells.ts';
import { type KeptProfile, type ProfileFigures, profileOne } from './profiles.ts';
import { warmUp } from './warm-up.ts';

/** This library on every store, beside who takes each record by itself on the same server. */
export interface StoresFigures {
  /** Ratios are to who takes each record by itself on the same server; DynamoDB and memory have 1. */
  readonly cells: readonly Cell[];
  readonly profiles: readonly ProfileFigures[];
  /** Each server with its version and the settings that decide what a write costs. */
  readonly servers: readonly string[];
}

export const NO_STORES: StoresFigures = { cells: [], profiles: [], servers: [] };

/** Leaves out the servers that cannot be started on this machine. */
export async function measureStores(
  lab: Lab,
  { stores, warmUpMs }: Plan,
  progress: Progress,
  keep: (profile: KeptProfile) => Promise<void>,
): Promise<StoresFigures> {
  const servers = await startStoreServers(lab, progress);
  const isThere = (contender: ContenderName): boolean => {
    const server = serverOf(contender);
    return server === undefined || server === 'dynamodb' || servers.some(({ name }) => name === server);
  };
  const contenders = STORES.filter(isThere);
  await warmUp(lab, contenders, warmUpMs, progress);
  progress.section('stores', stores.cells.length);
  const cells: Cell[] = [];
  // The largest first: what little is sent for is measured when the code for it is warmest.
  for (const cell of stores.cells.toReversed()) {
    cells.unshift(await measureCell(lab, cell, contenders, perRecordOn));
    progress.step(nameOf(cell.workload));
  }
  const profiles: ProfileFigures[] = [];
  progress.section('profiles of stores', stores.profiles.length);
  for (const cell of stores.profiles) {
    for (const contender of profiledIn(cell.workload.size).filter(isThere)) {
      profiles.push(await profileOne(lab, contender, cell, keep));
    }
    progress.step(nameOf(cell.workload));
  }
  return { cells, profiles, servers: servers.map(({ settings }) => settings) };
}

/** Who takes each record by itself is looked at once: its cost per record hardly depends on the batch. */
function profiledIn(size: number): readonly ContenderName[] {
  return Object.values(ON_SERVERS).flatMap(({ own, perRecord }) =>
    size === 100 ? [...own, perRecord] : own,
  );
}
