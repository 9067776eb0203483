import type { Figures } from '../../lab/bench/figures.ts';

/** A run that measured nothing; tests add what they are about. */
export const NOTHING: Figures = {
  machine: {
    processor: '',
    cores: 2,
    memoryGigabytes: 1,
    system: '',
    node: 'v20.0.0',
    commit: '',
    date: '',
    packages: {},
  },
  isQuick: false,
  durationSeconds: 0,
  comparison: [],
  capacity: [],
  overTls: [],
  variants: [],
  memoryStore: [],
  routes: [],
  hashes: [],
  memory: [],
  coldStart: [],
  lambdaStart: [],
  sizes: [],
  tableKeys: [],
  profiles: [],
  stores: { cells: [], profiles: [], servers: [] },
  queueWorker: [],
  senders: [],
};
