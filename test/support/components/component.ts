import type { LocalService, StartOptions } from '../../../packages/cli/src/dev/emulators/local-service.ts';

/** A real program that tests run against, installed into the cache folder when it is first needed. */
export interface Component {
  /** As the command line and messages call it: `dynamodb-local`. */
  readonly name: string;
  readonly version: string;
  /** What it is here for, in a few words. */
  readonly purpose: string;
  /** No package registry has it, so its tests are skipped where it is missing, in CI too. */
  readonly isOptional?: boolean;
  /**
   * What this machine lacks to install or run it, as a sentence that says what to do; undefined when nothing is
   * missing. It looks at the machine only and downloads nothing.
   */
  whyMissing(): string | undefined;
  /** Installs it, unless it is installed. */
  install(): Promise<void>;
  /** Installs it where needed and starts it. Left out where the program needs more than a port to start. */
  readonly start?: (options?: StartOptions) => Promise<LocalService>;
}
