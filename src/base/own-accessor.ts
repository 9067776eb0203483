import { builtIn } from './built-in.ts';

/**
 * Returns an accessor that is an own property of objects, so that copies, JSON and clones include it. Created
 * once per class, so that its objects share a hidden class of V8.
 */
export function ownAccessor<Owner>(accessor: {
  get(this: Owner): unknown;
  set?(this: Owner, value: unknown): void;
}): PropertyDescriptor {
  return { ...accessor, enumerable: true, configurable: true };
}

/** Makes `console.log` and `util.inspect` show the values of such accessors instead of `[Getter]`. */
export function showsValues({ prototype }: { readonly prototype: object }): void {
  Object.defineProperty(prototype, builtIn('node:util').inspect.custom, {
    value(this: object) {
      return { ...this };
    },
  });
}
