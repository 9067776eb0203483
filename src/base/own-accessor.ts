import { builtIn } from './built-in.ts';

/**
 * An accessor that is an own member of objects, so that a copy, JSON and a clone have it. Made once for all objects of a
 * class, which then share a hidden class of V8.
 */
export function ownAccessor<Owner>(accessor: {
  get(this: Owner): unknown;
  set?(this: Owner, value: unknown): void;
}): PropertyDescriptor {
  return { ...accessor, enumerable: true, configurable: true };
}

/** Has `console.log` and `util.inspect` show the values of such accessors, which they would show as `[Getter]`. */
export function showsValues({ prototype }: { readonly prototype: object }): void {
  Object.defineProperty(prototype, builtIn('node:util').inspect.custom, {
    value(this: object) {
      return { ...this };
    },
  });
}
