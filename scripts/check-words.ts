// Looks for the phrases that make comments, messages and pages hard to read. Part of `npm run check`, as `words`.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Where sources are read, with their comments and texts. */
const SOURCES = [
  'src',
  'packages/cdk/src',
  'packages/cli/src',
  'packages/cli/console-app/src',
  'packages/create/src',
];
const PAGES = ['docs', 'README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'packages/*/README.md'];
/** Decisions are kept as they were taken. */
const LEFT_OUT = /^docs\/decisions\/|\.svg$/;
const WIDEST = 110;

/** A phrase, and what to write in its place. */
const PHRASES: readonly (readonly [RegExp, string])[] = [
  [/\bwhat is (?:no|none)\b/i, 'name the thing, as in "a key that is not a hash"'],
  [/\bof which there is none\b/i, 'say that it is missing'],
  [/\bsuch as are\b/i, 'name them'],
  [/\bso many\b/i, 'name the count, or the option that sets it'],
  [/\bthat it be\b/i, 'say what has to happen, and who does it'],
  [/\bbe it\b/i, 'name both cases with "or"'],
  [/\bone's own\b/i, 'say whose'],
  [/\bwhere there is none\b/i, 'say what is missing'],
  [/\bas it is wanted\b/i, 'say what is wanted'],
  [/(?<!there )\bis none\b/i, 'say that there is no such thing, and name it'],
  [/\bthat (?:is|are) none\b/i, 'name what it is instead'],
];
const DOC_COMMENT = /\/\*\*\s+(?:\*\s+)?(What|Of|One|The same)\b/g;

const problems: string[] = [];
for (const file of filesOf(SOURCES).filter((name) => /\.tsx?$/.test(name))) {
  const text = readFileSync(file, 'utf8');
  const lines = text.split('\n');
  for (const [index, line] of lines.entries()) {
    // A pattern, an address or an SVG path cannot be broken.
    if (Array.from(line).length > WIDEST && !/\S{60}|: 'M\d/.test(line))
      problems.push(`${file}:${index + 1}: is wider than ${WIDEST} columns`);
  }
  findPhrases(file, lines);
  for (const { 1: word, index } of text.matchAll(DOC_COMMENT)) {
    const line = text.slice(0, index).split('\n').length;
    problems.push(
      `${file}:${line}: a doc comment begins with "${word}": begin with a noun, or with a verb ("Returns")`,
    );
  }
}
for (const file of filesOf(PAGES)) findPhrases(file, readFileSync(file, 'utf8').split('\n'));

if (problems.length > 0) {
  process.stderr.write(
    `${problems.join('\n')}\n\n${problems.length} hard to read. What to write instead: CONTRIBUTING.md\n`,
  );
  process.exitCode = 1;
}

function filesOf(places: readonly string[]): string[] {
  const listed = execFileSync('git', [
    'ls-files',
    '--cached',
    '--others',
    '--exclude-standard',
    '--',
    ...places,
  ]);
  return listed
    .toString()
    .split('\n')
    .filter((name) => name !== '' && !LEFT_OUT.test(name));
}

function findPhrases(file: string, lines: readonly string[]): void {
  for (const [index, line] of lines.entries()) {
    for (const [phrase, instead] of PHRASES) {
      const found = phrase.exec(line);
      if (found !== null) problems.push(`${file}:${index + 1}: "${found[0]}": ${instead}`);
    }
  }
}
