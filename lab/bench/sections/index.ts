import type { Figures } from '../figures.ts';
import type { Lab } from '../harness/lab.ts';
import type { Progress } from '../harness/progress.ts';
import type { Plan } from '../plan.ts';
import { measureCapacity } from './capacity.ts';
import { measureColdStart } from './cold-start.ts';
import { measureComparison, measureOverTls, measureVariants } from './comparison.ts';
import { measureLambdaStart } from './lambda-start.ts';
import { measureMemory } from './memory.ts';
import { measureHashes, measureMemoryStore, measureRoutes } from './micro.ts';
import { type KeptProfile, measureProfiles } from './profiles.ts';
import { measureQueueWorker } from './queue-worker.ts';
import { measureSenders } from './senders.ts';
import { measureSizes } from './sizes.ts';
import { measureStores, NO_STORES } from './stores.ts';
import { measureTableKeys } from './table-keys.ts';

/** What can be measured, in the order in which it is. */
export const SECTIONS = [
  'comparison',
  'over-tls',
  'capacity',
  'variants',
  'table-keys',
  'profiles',
  'stores',
  'queue-worker',
  'senders',
  'memory-store',
  'routes',
  'hashes',
  'cold-start',
  'lambda-start',
  'sizes',
  'memory',
] as const;
export type SectionName = (typeof SECTIONS)[number];

export type Measured = Omit<Figures, 'machine' | 'isQuick' | 'durationSeconds'>;

/** Measures the sections that were asked for; the others have no figures. */
export async function measureSections(
  lab: Lab,
  plan: Plan,
  only: readonly SectionName[],
  progress: Progress,
  keepProfile: (profile: KeptProfile) => Promise<void>,
): Promise<Measured> {
  const has = (name: SectionName): boolean => only.includes(name);
  return {
    comparison: has('comparison') ? await measureComparison(lab, plan, progress) : [],
    overTls: has('over-tls') ? await measureOverTls(lab, plan, progress) : [],
    capacity: has('capacity') ? await measureCapacity(lab, plan, progress) : [],
    variants: has('variants') ? await measureVariants(lab, plan, progress) : [],
    tableKeys: has('table-keys') ? await measureTableKeys(lab, plan, progress) : [],
    profiles: has('profiles') ? await measureProfiles(lab, plan, progress, keepProfile) : [],
    stores: has('stores') ? await measureStores(lab, plan, progress, keepProfile) : NO_STORES,
    queueWorker: has('queue-worker') ? await measureQueueWorker(lab, plan, progress) : [],
    senders: has('senders') ? await measureSenders(lab, plan, progress) : [],
    memoryStore: has('memory-store') ? await measureMemoryStore(lab, plan, progress) : [],
    routes: has('routes') ? await measureRoutes(lab, plan, progress) : [],
    hashes: has('hashes') ? await measureHashes(lab, plan, progress) : [],
    coldStart: has('cold-start') ? await measureColdStart(lab, plan, progress) : [],
    lambdaStart: has('lambda-start') ? await measureLambdaStart(lab, plan, progress) : [],
    sizes: has('sizes') ? await measureSizes(progress) : [],
    memory: has('memory') ? await measureMemory(lab, plan, progress) : [],
  };
}
