/** The order that a key is about: the key is `orders#v1:1`. */
export function orderOf(key: string): string {
  return key.slice(key.lastIndexOf(':') + 1);
}
