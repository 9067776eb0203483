import leven from 'leven';

/** Suggests the known name that is nearest to a wrong one, or lists all of them where none is near. */
export function nearestName(name: string, known: readonly string[]): string {
  const nearest = known.toSorted((a, b) => leven(a, name) - leven(b, name))[0] as string;
  const isNear = leven(nearest.toLowerCase(), name.toLowerCase()) <= Math.max(2, name.length / 3);
  return isNear ? `did you mean \`${nearest}\`?` : `known options are ${known.join(', ')}`;
}
