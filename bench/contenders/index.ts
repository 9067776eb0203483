import type { MakeBatchHandler } from './contender.ts';

/** Who takes part, by the name in figures. Loaded one at a time: no library runs in another's process. */
export const contenders = {
  /** As users get it: default log, its own transport. */
  batchlatch: async () => (await import('./batchlatch.ts')).batchlatch,
  'batchlatch-silent': async () => (await import('./batchlatch.ts')).batchlatchSilent,
  'batchlatch-sdk-client': async () => (await import('./batchlatch.ts')).batchlatchSdkClient,
  'batchlatch-memory': async () => (await import('./batchlatch.ts')).batchlatchMemory,
  'batchlatch-memory-silent': async () => (await import('./batchlatch.ts')).batchlatchMemorySilent,
  powertools: async () => (await import('./powertools.ts')).powertools,
  'powertools-own-client': async () => (await import('./powertools.ts')).powertoolsOwnClient,
  'powertools-memory': async () => (await import('./powertools.ts')).powertoolsMemory,
  'by-hand': async () => (await import('./by-hand.ts')).byHand,
  middy: async () => (await import('./middy.ts')).middy,
  floor: async () => (await import('./floor.ts')).floor,
  'floor-single': async () => (await import('./floor.ts')).floorSingle,
} as const satisfies Record<string, () => Promise<MakeBatchHandler>>;

export type ContenderName = keyof typeof contenders;
