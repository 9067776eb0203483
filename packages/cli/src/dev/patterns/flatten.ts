/** Which element was chosen of which list; lists are numbered in the order in which they are met. */
export type Membership = ReadonlyMap<number, number>;

interface FieldValue {
  /** A string, number, boolean or null. */
  readonly value: unknown;
  readonly membership: Membership;
}

/** The values at each path, such as `detail.state`. */
export type PathValues = ReadonlyMap<string, readonly FieldValue[]>;

/** Of lists in lists: what is deeper is not looked at. A message is text of its sender, and may consist of nothing but brackets. */
const DEEPEST = 500;

/** The leaves of a value at these paths. Lists add nothing to a path; an empty list or object has no leaves. */
export function flatten(value: object, paths: ReadonlySet<string>): PathValues {
  const flattening: Flattening = { found: new Map(), paths, steps: stepsOf(paths), lists: 0 };
  visit(flattening, value, '', new Map());
  return flattening.found;
}

interface Flattening {
  readonly found: Map<string, FieldValue[]>;
  readonly paths: ReadonlySet<string>;
  /** The paths and what leads to them, so that nothing else is walked through. */
  readonly steps: ReadonlySet<string>;
  lists: number;
}

function stepsOf(paths: ReadonlySet<string>): ReadonlySet<string> {
  return new Set(
    [...paths].flatMap((path) => {
      const steps = path.split('.');
      return steps.map((_step, index) => steps.slice(0, index + 1).join('.'));
    }),
  );
}

function visit(flattening: Flattening, value: unknown, path: string, membership: Membership): void {
  if (membership.size > DEEPEST) return;
  if (Array.isArray(value)) {
    const list = flattening.lists++;
    for (const [index, element] of (value as readonly unknown[]).entries()) {
      const isLeaf = typeof element !== 'object' || element === null;
      visit(flattening, element, path, isLeaf ? membership : new Map([...membership, [list, index]]));
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, one] of Object.entries(value)) {
      const further = path === '' ? name : `${path}.${name}`;
      if (flattening.steps.has(further)) visit(flattening, one, further, membership);
    }
  } else if (flattening.paths.has(path)) {
    const found = flattening.found.get(path);
    if (found === undefined) flattening.found.set(path, [{ value, membership }]);
    else found.push({ value, membership });
  }
}
