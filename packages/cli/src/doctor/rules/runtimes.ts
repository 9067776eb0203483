import type { LambdaFunction } from '../../template/model.ts';
import { functionsOfRecords } from '../claims-table-of.ts';
import type { Examination } from '../examination.ts';
import type { Rules } from './rule.ts';

const OLDEST_NODE = 20;

/**
 * The deprecation dates of runtimes that are deprecated or will be soon, from
 * https://docs.aws.amazon.com/lambda/latest/dg/lambda-runtimes.html, as in cfn-lint 1.58.0.
 */
const DEPRECATED_ON: Readonly<Record<string, string>> = {
  dotnet6: '2024-12-20',
  dotnet8: '2026-11-10',
  dotnet9: '2026-11-10',
  'dotnetcore3.1': '2023-04-03',
  'go1.x': '2024-01-08',
  java8: '2024-01-08',
  'java8.al2': '2027-06-30',
  java11: '2027-06-30',
  java17: '2027-06-30',
  'nodejs20.x': '2026-04-30',
  'nodejs22.x': '2027-04-30',
  'nodejs24.x': '2028-04-30',
  provided: '2024-01-08',
  'provided.al2': '2026-07-31',
  'python3.7': '2023-12-04',
  'python3.8': '2024-10-14',
  'python3.9': '2025-12-15',
  'python3.10': '2026-10-31',
  'python3.11': '2027-06-30',
  'python3.12': '2028-10-31',
  'ruby2.7': '2023-12-07',
  'ruby3.2': '2026-03-31',
  'ruby3.3': '2027-03-31',
  'ruby3.4': '2028-03-31',
};

/** Rules for the runtime of a function. */
export const RUNTIME_RULES: Rules = {
  'runtime-too-old': {
    severity: 'error',
    what: 'a runtime older than `nodejs20.x`',
    why: 'batchlatch needs Node 20.19.',
    fix: '`Runtime: nodejs22.x`',
    docs: 'deploying.md#what-a-function-needs',
  },
  'runtime-deprecated': {
    severity: 'warning',
    what: 'a runtime that AWS has deprecated',
    why: 'It gets no security patches, and later Lambda refuses to create and update functions on it.',
    fix: 'a runtime that is supported, such as `Runtime: nodejs22.x`',
    docs: 'versions.md',
  },
};

export function checkRuntimes(examination: Examination): void {
  for (const lambda of functionsOfRecords(examination)) checkRuntime(examination, lambda);
}

function checkRuntime(examination: Examination, lambda: LambdaFunction): void {
  const runtime = examination.known(lambda, 'Runtime', lambda.runtime);
  if (runtime === undefined) return;
  if (isNodeTooOld(runtime)) {
    examination.report('runtime-too-old', lambda, {
      message: `${lambda.name} runs on ${runtime}.`,
      fix: 'Runtime: nodejs22.x',
      line: lambda.runtime.line,
    });
    return;
  }
  const since = deprecatedSince(runtime, examination.model.now);
  if (since === undefined) return;
  examination.report('runtime-deprecated', lambda, {
    message: `${lambda.name} runs on ${runtime}, which AWS deprecated on ${since}.`,
    fix: runtime.startsWith('nodejs') ? 'Runtime: nodejs22.x' : '# a newer runtime of the same language',
    line: lambda.runtime.line,
  });
}

/** Returns the date of a runtime's deprecation; undefined before it. `now` is in epoch milliseconds. */
function deprecatedSince(runtime: string, now: number): string | undefined {
  const day = Object.hasOwn(DEPRECATED_ON, runtime) ? DEPRECATED_ON[runtime] : undefined;
  return day !== undefined && Date.parse(day) <= now ? day : undefined;
}

/** Returns whether it is a Node version too old for batchlatch. */
function isNodeTooOld(runtime: string): boolean {
  const [, version] = /^nodejs(\d+)/.exec(runtime) ?? [];
  return version !== undefined && Number(version) < OLDEST_NODE;
}

/** Returns whether a function may use batchlatch: on Node, or in a container image, without a runtime. */
export function mayBeNode(runtime: string | undefined): boolean {
  return runtime === undefined || runtime.startsWith('nodejs');
}
