import type { BundleSize } from './bundle-sizes.ts';
import { HELD, type Costs } from './costs.ts';
import type { SourceCounts } from './source-counts.ts';
import type { StoreName } from './hidden-classes.ts';
import type { Steps } from './steps.ts';

export interface Report {
  /** By queue and store. */
  readonly costs: Readonly<Record<string, Costs>>;
  /** For a batch of ten, once V8 has seen all kinds of objects. */
  readonly hiddenClasses: Readonly<Record<StoreName, number>>;
  readonly steps: Steps;
  /** By what is imported. */
  readonly bundles: Readonly<Record<string, BundleSize>>;
  readonly source: SourceCounts;
}

/** Returns the report for people; `withFiles` names the files of the steps. */
export function linesOf(
  { costs, hiddenClasses, steps, bundles, source }: Report,
  withFiles: boolean,
): string[] {
  return [
    `For each of 1,000 records (held: of ${HELD.toLocaleString('en')} whose handlers run):`,
    ...Object.entries(costs).map(([name, cost]) => `  ${name.padEnd(30)}${costLine(cost)}`),
    '',
    "V8's hidden classes for a batch of ten, one of which fails, once it has seen all kinds of objects:",
    ...Object.entries(hiddenClasses).map(([name, count]) => `  ${name.padEnd(30)}${count}`),
    '',
    'Files that are entered by:',
    ...Object.entries(steps).flatMap(([name, files]) => [
      `  ${name.padEnd(36)}${files.length}`,
      ...(withFiles ? files.map((file, index) => `    ${String(index + 1).padStart(3)}  ${file}`) : []),
    ]),
    '',
    "Bundles, minified and without AWS's SDK (+: what it adds to the first):",
    ...Object.entries(bundles).map(
      ([name, { bytes, modules }]) =>
        `  ${name.padEnd(52)}${(bytes / 1_000).toFixed(1).padStart(6)} KB, ${modules} modules`,
    ),
    '',
    ...sourceLines(source),
  ];
}

function costLine({ calls, functions, files, promises, allocated, bytes, requests }: Costs): string {
  const counts = `${calls.toFixed(1)} calls, ${functions} functions in ${files.length} files, ${promises.toFixed(2)} promises`;
  const sent = requests[0] === 0 ? '' : `, ${requests.join(' and ')} requests (batches of 10 and 1,000)`;
  return `${counts}, ${allocated} bytes allocated, ${bytes} bytes held${sent}`;
}

function sourceLines(source: SourceCounts): string[] {
  const { longestFile, longestFunction, widestContext } = source;
  return [
    'Of src:',
    `  ${source.lines} lines, ${source.proxies} \`new Proxy\`, ${source.symbolsFor} \`Symbol.for\``,
    `  ${source.staticModules} files that \`import 'batchlatch'\` loads at once`,
    `  longest file of the way: ${longestFile.file}, ${longestFile.lines} lines`,
    `  longest function of the way: ${longestFunction.name} in ${longestFunction.file}, ${longestFunction.lines} lines`,
    `  widest context of the way: ${widestContext.name}, ${widestContext.members} members`,
  ];
}
