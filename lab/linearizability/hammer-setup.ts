/** Where a hammer's claims are. */
export type HammeredStore =
  | { readonly kind: 'postgres'; readonly endpoint: string; readonly table: string }
  | { readonly kind: 'redis'; readonly endpoint: string; readonly prefix: string }
  | {
      readonly kind: 'dynamodb';
      readonly endpoint: string;
      readonly table: string;
      readonly writes: 'batch' | 'single';
    };

/** The only argument of the program `hammer.ts`, as JSON. */
export interface HammerSetup {
  readonly store: HammeredStore;
  readonly seed: number;
  /** What owners are called after, so that no two clients have the same. */
  readonly client: number;
  /** How many calls it makes. */
  readonly calls: number;
  readonly logFile: string;
  /** When the run began, by `process.hrtime.bigint()`. */
  readonly origin: string;
  /** Of DynamoDB, where leases go by the clocks of clients: how much this one is ahead. Default 0. */
  readonly clockAheadMs?: number;
}
