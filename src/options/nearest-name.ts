import leven from 'leven';
import { knownNames } from './check-options.ts';

/** Suggests the nearest known name, or lists all if none is near. */
export function nearestName(name: string, known: readonly string[]): string {
  const nearest = known.toSorted((a, b) => leven(a, name) - leven(b, name))[0] as string;
  const isNear = leven(nearest.toLowerCase(), name.toLowerCase()) <= Math.max(2, name.length / 3);
  return isNear ? `did you mean \`${nearest}\`?` : knownNames(name, known);
}
