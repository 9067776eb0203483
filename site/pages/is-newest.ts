import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';

/** Whether a file is there and no older than any of the sources, which are files and folders of TypeScript. */
export function isNewest(file: string, sources: readonly string[], root: string): boolean {
  const changedAt = (name: string): number => statSync(path.join(root, name)).mtimeMs;
  if (!existsSync(path.join(root, file))) return false;
  const made = changedAt(file);
  return sources.flatMap((source) => filesOf(source, root)).every((source) => changedAt(source) <= made);
}

function filesOf(source: string, root: string): string[] {
  if (!statSync(path.join(root, source)).isDirectory()) return [source];
  return readdirSync(path.join(root, source), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => path.join(source, name));
}
