/** What this browser remembers under a name; undefined where there is nothing, or storage is blocked. */
export function remembered(name: string): string | undefined {
  return readFrom(() => localStorage, name);
}

/** Remembers it; undefined forgets it. */
export function remember(name: string, value: string | undefined): void {
  writeTo(() => localStorage, name, value);
}

/** What this tab remembers under a name, until it is closed. */
export function rememberedByTab(name: string): string | undefined {
  return readFrom(() => sessionStorage, name);
}

/** Remembers it for this tab; undefined forgets it. */
export function rememberByTab(name: string, value: string | undefined): void {
  writeTo(() => sessionStorage, name, value);
}

/** Where storage is blocked, reading its name throws already. */
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
    // Storage is blocked or full: it holds for this page.
  }
}
