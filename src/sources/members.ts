/** The members of what may be anything, as far as they are there. */
export function membersOf<Shape>(value: unknown): Partial<Shape> {
  return typeof value === 'object' && value !== null ? value : {};
}

/** Whether there is any member in it. Without a list of them, for each of thousands of records. */
export function hasMembers(value: object | null | undefined): boolean {
  for (const _name in value) return true;
  return false;
}

/** A text that says something. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** Such a text; undefined for everything else. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
