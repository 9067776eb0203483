/** Returns the browser's item of this name; undefined if it is missing or storage is blocked. */
export function remembered(name: string): string | undefined {
  return readFrom(() => localStorage, name);
}

/** Stores an item in the browser; undefined removes it. */
export function remember(name: string, value: string | undefined): void {
  writeTo(() => localStorage, name, value);
}

/** Returns this tab's item of this name. */
export function rememberedByTab(name: string): string | undefined {
  return readFrom(() => sessionStorage, name);
}

/** Stores an item for this tab; undefined removes it. */
export function rememberByTab(name: string, value: string | undefined): void {
  writeTo(() => sessionStorage, name, value);
}

/** A function, because reading the name of a blocked storage throws. */
type Place = () => Storage;

function readFrom(place: Place, name: string): string | undefined {
  try {
    return place().getItem(name) ?? undefined;
  } catch {
    return undefined;
  }
}

function writeTo(place: Place, name: string, value: string | undefined): void {
  try {
    if (value === undefined) place().removeItem(name);
    else place().setItem(name, value);
  } catch {
    // Storage is blocked or full: the value holds for this page.
  }
}
