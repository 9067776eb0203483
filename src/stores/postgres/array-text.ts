/** What an array of PostgreSQL may hold here. */
type Value = string | number | boolean | null | undefined;

/**
 * One column of many rows as the text of an array. `pg` takes longer for it: it replaces twice in each text. Where all of the
 * column is null the array is empty, because `unnest` fills up the shorter of its arrays with nulls: another column has to be
 * as long as there are rows.
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
