const PACKAGE = /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//;
const ROOM = /node_modules\/batchlatch\/dist\/esm\/(.*)\/[^/]+$/;

/** Whose code a file of a bundle is: a package's name, of this package its room in `src`. */
export function ownerOf(file: string): string {
  const room = ROOM.exec(file)?.[1];
  if (room !== undefined) return `batchlatch/${room}`;
  return PACKAGE.exec(file)?.[1] ?? 'the function itself';
}
