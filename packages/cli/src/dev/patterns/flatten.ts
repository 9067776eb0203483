/** The chosen element of each list; lists are numbered in the order of the walk. */
export type Membership = ReadonlyMap<number, number>;

export interface FieldValue {
  /** String, number, boolean or null. */
  readonly value: unknown;
  readonly membership: Membership;
}

/** The values at each path, such as `detail.state`. */
export type PathValues = ReadonlyMap<string, readonly FieldValue[]>;

/** The limit for nested lists, beyond which values are ignored: a sender may send nothing but brackets. */
const DEEPEST = 500;

/** Returns the leaves of a value at these paths. Lists add nothing to a path; empty ones have no leaves. */
export function flatten(value: object, paths: ReadonlySet<string>): PathValues {
  const flattening: Flattening = { found: new Map(), paths, steps: stepsOf(paths), lists: 0 };
  visit(flattening, value, '', new Map());
  return flattening.found;
}

interface Flattening {
  readonly found: Map<string, FieldValue[]>;
  readonly paths: ReadonlySet<string>;
  /** The paths and their prefixes; nothing else is visited. */
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
