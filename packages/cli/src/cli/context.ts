import type { Screen } from './print/screen.ts';
import type { ProcessIo } from './process-io.ts';

/** What a command gets: where it runs, and how it shows what it found. */
export interface Context extends ProcessIo {
  readonly screen: Screen;
}
