const numbers = new WeakMap<object, number>();
let last = 0;

/** A number that no other object of this process has: for `ClaimStore.place`, of who shares a client. */
export function objectNumber(object: object): number {
  const known = numbers.get(object);
  if (known !== undefined) return known;
  last += 1;
  numbers.set(object, last);
  return last;
}
