import type { Screen } from './print/screen.ts';
import type { ProcessIo } from './process-io.ts';

/** The environment of a command, and the screen that it prints to. */
export interface Context extends ProcessIo {
  readonly screen: Screen;
}
