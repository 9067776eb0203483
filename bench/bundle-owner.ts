const PACKAGE = /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//;
const ROOM = /node_modules\/batchlatch\/dist\/esm\/(.*)\/[^/]+$/;
/** The build puts aws4 into this file. */
const SIGNING = 'aws/signed-headers.js';

/** Whose code a file of a bundle is: a package's name, of this package its room in `src`. */
export function ownerOf(file: string): string {
  if (file.endsWith(SIGNING)) return 'batchlatch/aws with aws4: signing';
  const room = ROOM.exec(file)?.[1];
  if (room !== undefined) return `batchlatch/${room}`;
  return PACKAGE.exec(file)?.[1] ?? 'the function itself';
}
