/** A filter that a person gave a name. */
export interface SavedFilter {
  readonly name: string;
  /** What follows the path of the list, such as `?state=parked`. */
  readonly search: string;
}

/** The most that are kept. */
const MOST = 50;

/** The filters in what the browser kept; what is damaged is left out. */
export function savedFiltersOf(text: string | undefined): readonly SavedFilter[] {
  try {
    const value: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(value) ? value.filter(isSavedFilter) : [];
  } catch {
    return [];
  }
}

function isSavedFilter(value: unknown): value is SavedFilter {
  if (typeof value !== 'object' || value === null) return false;
  const { name, search } = value as Partial<Record<string, unknown>>;
  return typeof name === 'string' && name !== '' && typeof search === 'string' && /^(\?|$)/.test(search);
}

/** With one more, in place of one with its name. */
export function withFilter(filters: readonly SavedFilter[], added: SavedFilter): readonly SavedFilter[] {
  return [...withoutFilter(filters, added.name), added]
    .toSorted((one, other) => one.name.localeCompare(other.name))
    .slice(0, MOST);
}

/** Without the one of this name. */
export function withoutFilter(filters: readonly SavedFilter[], name: string): readonly SavedFilter[] {
  return filters.filter((filter) => filter.name !== name);
}
