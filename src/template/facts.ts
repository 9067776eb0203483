// What is known of a resource, from a template or from an account.

/** A property of a resource, as far as it is known. */
export interface Setting<T> {
  /** Absent if it is not set and has no default, or if it is not known. */
  readonly value?: T | undefined;
  /** Why it is not known. */
  readonly unknown?: string | undefined;
  /** Where it is in the template. */
  readonly line?: number | undefined;
}

/** What every resource has. */
export interface Resource {
  /** The logical id, or the name of what is deployed. */
  readonly id: string;
  /** How messages name it. */
  readonly name: string;
  readonly line?: number | undefined;
  /** The findings that its metadata says are meant to be so. */
  readonly ignore: ReadonlySet<string>;
}
