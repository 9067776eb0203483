/** A named filter. */
export interface SavedFilter {
  readonly name: string;
  /** The query of the list's address, such as `?state=parked`. */
  readonly search: string;
}

/** Returns the filters in the browser's storage, without damaged ones. */
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

/** Adds a filter, or replaces the one with its name. */
export function withFilter(filters: readonly SavedFilter[], added: SavedFilter): readonly SavedFilter[] {
  return [...withoutFilter(filters, added.name), added].toSorted((one, other) =>
    one.name.localeCompare(other.name),
  );
}

/** Removes the filter with this name. */
export function withoutFilter(filters: readonly SavedFilter[], name: string): readonly SavedFilter[] {
  return filters.filter((filter) => filter.name !== name);
}
