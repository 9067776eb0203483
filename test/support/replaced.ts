/** The object, with some of its members replaced. */
export function replaced<Whole extends object>(whole: Whole, own: Partial<Whole>): Whole {
  return { ...whole, ...own };
}
