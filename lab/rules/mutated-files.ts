import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { markedRules } from './marked-rules.ts';
import { type Change, mutated } from './mutant.ts';

/**
 * Returns the files that the changes are about, relative to the folder that has `src`, with their new texts. Throws for a
 * rule that is not marked.
 */
export function mutatedFiles(
  root: string,
  changes: readonly Change[],
  files: ReadonlyMap<string, string> = filesOfRules(root),
): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const { rule } of changes) {
    const file = files.get(rule);
    if (file === undefined) throw new Error(`No code is marked as the rule ${rule}`);
    texts.set(file, mutated(readFileSync(path.join(root, file), 'utf8'), changes));
  }
  return texts;
}

/** Returns the file of each rule that is marked in `src`. Throws for a rule that is marked twice. */
export function filesOfRules(root: string): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const name of readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })) {
    if (!/\.tsx?$/.test(name)) continue;
    const file = path.posix.join('src', ...name.split(path.sep));
    for (const rule of markedRules(readFileSync(path.join(root, file), 'utf8'))) {
      const other = files.get(rule.name);
      if (other !== undefined) throw new Error(`The rule ${rule.name} is marked in ${other} and in ${file}`);
      files.set(rule.name, file);
    }
  }
  return files;
}
