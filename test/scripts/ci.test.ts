import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { nodeVersions } from '../support/components/node.ts';
import { until } from '../support/until.ts';

/** What jest writes for `--json`, as far as it is read. */
const results = {
  numPassedTests: 7,
  numFailedTests: 0,
  numRuntimeErrorTestSuites: 0,
  numPendingTests: 0,
  numTodoTests: 0,
  success: true,
};

describe('.ci/run', () => {
  let checkout: string;
  beforeEach(() => {
    checkout = join(mkdtempSync(join(tmpdir(), 'batchlatch-ci-')), `it's "here"`);
    for (const file of ['.ci/run', 'scripts/summary.js']) {
      mkdirSync(dirname(join(checkout, file)), { recursive: true });
      copyFileSync(file, join(checkout, file));
    }
    // Every step passes, unless a test says otherwise.
    writeProgram('scripts/sam.sh', '[ "$1" != templates ] || echo template.yaml');
    for (const script of ['mutation', 'pin']) writeProgram(`scripts/${script}.sh`, 'true');
    writeProgram('bin/npm', jestWrites(results));
    writeProgram('bin/npx', 'true');
    writeProgram('bin/node', 'case "$1" in --import) ;; *) exec "$REAL_NODE" "$@" ;; esac');
  });
  afterEach(() => {
    rmSync(dirname(checkout), { recursive: true });
  });

  function writeProgram(path: string, body: string): void {
    mkdirSync(dirname(join(checkout, path)), { recursive: true });
    writeFileSync(join(checkout, path), `#!/bin/sh\n${body}\n`);
    chmodSync(join(checkout, path), 0o755);
  }

  /** A program that writes jest's results where it is asked for them, and then does something else. */
  function jestWrites(json: object | string, then = 'true'): string {
    const text = typeof json === 'string' ? json : JSON.stringify(json);
    const quoted = `'${text.replaceAll("'", String.raw`'\''`)}'`;
    return `for argument; do case $argument in --outputFile=*) printf '%s' ${quoted} >"\${argument#*=}"; ${then};; esac; done`;
  }

  function run(environment: NodeJS.ProcessEnv = {}): { last: string; status: number | null; stdout: string } {
    const PATH = [join(checkout, 'bin'), process.env['PATH'] ?? ''].join(delimiter);
    const { stdout, status } = spawnSync(join(checkout, '.ci', 'run'), {
      cwd: tmpdir(),
      env: { ...process.env, PATH, REAL_NODE: process.execPath, ...environment },
      encoding: 'utf8',
    });
    return { last: stdout.trimEnd().split('\n').at(-1) ?? '', status, stdout };
  }

  it('ends with how many tests passed, of all thirteen runs', () => {
    expect(run()).toMatchObject({ last: '91 passed, 0 failed', status: 0 });
  });

  it('runs the tests on every line of Node that it can install', () => {
    const lines = nodeVersions.map((version) => `== test on Node ${version}`);
    expect(run().stdout.split('\n')).toEqual(expect.arrayContaining(lines));
  });

  it('counts tests that failed', () => {
    writeProgram('bin/npm', jestWrites({ ...results, numFailedTests: 2, success: false }, 'exit 1'));
    expect(run()).toMatchObject({ last: '91 passed, 26 failed', status: 1 });
  });

  it('names the tests that failed at its end, with what they said', () => {
    const name = join(realpathSync(checkout), 'test/orders.test.ts');
    const failed = {
      status: 'failed',
      fullName: 'an order is charged once',
      failureMessages: [
        'Error: \u001b[31mcharged twice\u001b[39m\n\nReceived: 2\n    at charge (charge.ts:1:1)',
      ],
    };
    const testResults = [
      { name, status: 'failed', assertionResults: [{ status: 'passed', fullName: 'another' }, failed] },
      {
        name: name.replace('orders', 'broken'),
        status: 'failed',
        message: 'no such module',
        assertionResults: [],
      },
    ];
    writeProgram('bin/npm', jestWrites({ ...results, numFailedTests: 2, testResults }, 'exit 1'));
    const lines = run().stdout.trimEnd().split('\n').slice(-79);
    const [at, broken] = ['orders.test.ts: an order is charged once', 'broken.test.ts'].map((one) =>
      lines.indexOf(`FAILED jest-release: test/${one}`),
    );
    expect(lines.slice(at, (at ?? 0) + 3).slice(1)).toEqual(['  Error: charged twice', '  Received: 2']);
    expect(lines[(broken ?? 0) + 1]).toBe('  no such module');
  });

  it('counts every other step that failed as one, and names it at its end', () => {
    writeProgram('scripts/sam.sh', 'exit 1');
    const { last, status, stdout } = run();
    expect({ last, status }).toEqual({ last: '91 passed, 6 failed', status: 1 });
    expect(stdout.trimEnd().split('\n').slice(-7, -1)).toEqual([
      'FAILED SAM: install',
      'FAILED SAM: build',
      'FAILED SAM: validate',
      'FAILED SAM: expand and lint',
      'FAILED CloudFormation: lint',
      'FAILED doctor',
    ]);
  });

  it('counts the steps of templates as failed where no template is found', () => {
    writeProgram('scripts/sam.sh', 'true');
    expect(run()).toMatchObject({ last: '91 passed, 3 failed', status: 1 });
  });

  it('counts a run whose tests all passed and that failed all the same', () => {
    writeProgram('bin/npm', jestWrites(results, 'exit 1'));
    expect(run()).toMatchObject({ last: '91 passed, 13 failed', status: 1 });
  });

  it('ends a run that does not end by itself, and counts it as failed', () => {
    writeProgram('bin/npm', jestWrites(results, 'case $argument in *release*) exec sleep 60;; esac'));
    expect(run({ JEST_RUN_LIMIT: '1s' })).toMatchObject({ last: '91 passed, 1 failed', status: 1 });
  });

  it('counts a run without results', () => {
    writeProgram('bin/npm', 'true');
    expect(run()).toMatchObject({ last: '0 passed, 13 failed', status: 1 });
  });

  it('counts a run whose results break off', () => {
    writeProgram('bin/npm', jestWrites('{"numPassedTests":'));
    expect(run()).toMatchObject({ last: '0 passed, 13 failed', status: 1 });
  });

  it('names skipped tests in a line of their own', () => {
    writeProgram('bin/npm', jestWrites({ ...results, numPendingTests: 3 }));
    const { last, stdout } = run();
    expect(last).toBe('91 passed, 0 failed');
    expect(stdout).toContain('39 skipped');
  });

  it('ends so when nothing could be installed', () => {
    writeProgram('bin/npm', 'exit 1');
    expect(run()).toMatchObject({ last: '0 passed, 1 failed', status: 1 });
  });

  it('ends so when Node itself is broken', () => {
    writeProgram('bin/node', 'exit 1');
    const { last, status } = run();
    expect(last).toMatch(/^0 passed, [1-9]\d* failed$/);
    expect(status).toBe(1);
  });

  it('ends so when it is stopped', () => {
    writeProgram('scripts/sam.sh', 'kill -TERM "$(ps -o ppid= -p "$PPID" | tr -d " ")"'); // from a step that runs beside
    const { last, status } = run();
    expect(last).toMatch(/^\d+ passed, [1-9]\d* failed$/);
    expect(status).toBe(143);
  });

  it.each(['linearizability', 'recipes'])('ends its run of %s when it is stopped', async (name) => {
    const parent = '$(ps -o ppid= -p "$PPID" | tr -d " ")';
    // Beside other steps a copy of the script is in between.
    const ci = name === 'recipes' ? `$(ps -o ppid= -p "${parent}" | tr -d " ")` : parent;
    const stops = `echo $$ >pid; kill -TERM "${ci}"; exec sleep 60`;
    writeProgram('bin/npm', jestWrites(results, `case $argument in *${name}*) ${stops};; esac`));
    expect(run().status).toBe(143);
    const pid = Number(readFileSync(join(checkout, 'pid'), 'utf8'));
    await until('the run has ended', () => !isRunning(pid));
  });

  it('counts steps that run beside others and are killed as one failure', () => {
    writeProgram('scripts/sam.sh', 'kill -KILL "$PPID"');
    expect(run()).toMatchObject({ last: '91 passed, 2 failed', status: 1 });
  });
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
