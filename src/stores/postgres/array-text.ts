type Value = string | number | boolean | null | undefined;

/**
 * A column of many rows as the text of an array, which takes `pg` longer. All nulls give an empty array: `unnest`
 * fills up the shorter of its arrays, so another column has to be as long as there are rows.
 */
export function columnOf<Item>(items: readonly Item[], valueOf: (item: Item) => Value): string {
  let text = '';
  let isNull = true;
  for (const item of items) {
    const value = valueOf(item);
    text += text === '' ? '{' : ',';
    if (value === null || value === undefined) {
      text += 'NULL';
    } else {
      isNull = false;
      text += typeof value === 'string' ? quoted(value) : String(value);
    }
  }
  return isNull ? '{}' : `${text}}`;
}

const SPECIAL = /["\\]/;

function quoted(text: string): string {
  return `"${SPECIAL.test(text) ? text.replaceAll(/["\\]/g, String.raw`\$&`) : text}"`;
}
