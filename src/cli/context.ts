import type { Screen } from './print/screen.ts';
import type { Surroundings } from './surroundings.ts';

/** What a command gets: where it runs, and how it shows what it found. */
export interface Context extends Surroundings {
  readonly screen: Screen;
}
