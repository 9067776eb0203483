/** A property of a resource, as far as it is known. */
export interface Setting<T> {
  /** Absent if it is not set and has no default, or if it is not known. */
  readonly value?: T | undefined;
  /** Why it is not known. */
  readonly unknown?: string | undefined;
  /** Where it is in the template. */
  readonly line?: number | undefined;
}
