/** A change of the source that takes one rule out; the simulation has to notice. */
export interface Mutant {
  readonly name: string;
  readonly takesOut: string;
  readonly patches: readonly Patch[];
}

/** `search` occurs in the file exactly once; otherwise the mutant is out of date, and says so. */
interface Patch {
  readonly file: string;
  readonly search: string;
  readonly replace: string;
}

/** A mutant of one patch. */
export function one(name: string, takesOut: string, file: string, search: string, replace: string): Mutant {
  return { name, takesOut, patches: [{ file, search, replace }] };
}
