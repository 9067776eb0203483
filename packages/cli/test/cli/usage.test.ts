import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { runCommand } from './run-command.ts';

const COMMANDS = [
  'claims list',
  'claims show',
  'claims release',
  'claims resolve',
  'claims park',
  'claims forget',
  'claims stats',
  'table create',
  'table check',
  'work',
  'completion',
  'generate-event sqs',
  'send',
  'generate-event dynamodb',
];

describe('batchlatch', () => {
  it('prints its version', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    expect(await runCommand(['--version'])).toEqual({ status: 0, out: `${version}\n`, err: '' });
  });

  it('says how it is used where nothing is asked of it: wrong usage', async () => {
    const { status, out, err } = await runCommand([]);
    expect({ status, out }).toEqual({ status: 2, out: '' });
    expect(err).toMatch(/^Usage: batchlatch \[options\] \[command\]\n/);
  });

  it.each(COMMANDS)('%s: has help that ends with examples of it', async (command) => {
    const { status, out } = await runCommand([...command.split(' '), '--help']);
    expect(status).toBe(0);
    expect(out).toMatch(new RegExp(`\nExamples:\n(  batchlatch ${command}.*\n)+$`));
    // Examples are to be copied, so they are not wrapped; the rest fits.
    const [text = ''] = out.split('\nExamples:');
    for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });

  it.each(COMMANDS)(
    '%s: names keys in its examples as they are stored, with their version',
    async (command) => {
      const { out } = await runCommand([...command.split(' '), '--help']);
      const [, examples = ''] = out.split('\nExamples:');
      for (const [key] of examples.matchAll(/'orders#[^']+'/g)) expect(key).toMatch(/^'orders#v1:o-/);
    },
  );

  it('tells all exit statuses', async () => {
    const { out } = await runCommand(['--help']);
    expect(out).toMatch(/Exit status:\n {2}0 .*\n {2}1 .*\n {2}2 .*\n {2}130 /);
  });

  it.each([
    [['claim'], "unknown command 'claim'\n(Did you mean claims?)"],
    [['claims', 'relase', 'k'], "unknown command 'relase'\n(Did you mean release?)"],
    [['claims', 'list', '--stat', 'parked'], "unknown option '--stat'\n(Did you mean --state?)"],
    [['claims', 'show', '-rf', '--table', 'abc'], 'A KEY that begins with - goes last, after --'],
    [['claims', 'list', '--state', 'prked'], "option '--state <state>' argument 'prked' is invalid."],
    [['claims', 'list', '--limit', '0'], 'Give a whole number from 1 to 100,000.'],
    [['claims', 'list', '--endpoint-url', 'x'], 'Give a URL such as http://127.0.0.1:8000.'],
    [['claims', 'list'], 'No claims table is named: add --table NAME, or set CLAIMS_TABLE_NAME.'],
    [['claims', 'list', '--table', "a'b"], '--table must be the name or the ARN of a DynamoDB table.'],
    [['claims', 'list', 'surplus', '--table', 'abc'], 'too many arguments'],
  ])('%j is wrong usage: %s', async (argv, message) => {
    const { status, out, err } = await runCommand(argv);
    expect({ status, out }).toEqual({ status: 2, out: '' });
    expect(err).toMatch(/^Error: /);
    expect(err).toContain(message);
  });

  it.each([
    ['dev', '-t'],
    ['invoke', '-t'],
    ['invoke', 'OrdersFunction', '-t', 'template.yaml', '-e'],
    ['invoke', 'OrdersFunction', '-t', 'template.yaml', '-n'],
    ['doctor', '--template'],
    ['send', '--queue-url', 'http://127.0.0.1:9/000000000000/orders'],
    ['generate-event', 'sqs', '--bodies'],
    ['claims', 'show', '--table', 'abc', '--namespace', 'n', '--key-field', 'id', '--payload'],
    ['work', '--queue-url', 'http://127.0.0.1:9/000000000000/orders', '--processes', '1'],
  ])('%s %s … is wrong usage where it names a file that cannot be read', async (...argv) => {
    const ended = await runCommand([...argv, 'no-such-file']);
    expect(ended).toMatchObject({ status: 2, out: '' });
    expect(ended.err).toMatch(/^Error: .*no-such-file.*[Cc]heck the path\.\n$/);
    if (argv[0] === 'work') return; // a package may be a folder
    const folder = await runCommand([...argv, 'docs']);
    expect(folder).toMatchObject({ status: 2, out: '' });
    expect(folder.err).toMatch(
      /^Error: .*docs.* (is a folder: name a file|\(EISDIR\)\. Check the path)\.\n$/,
    );
  });

  it('names the variable where that is what is wrong', async () => {
    const { status, err } = await runCommand(['claims', 'list'], { env: { CLAIMS_TABLE_NAME: "a'b" } });
    expect(status).toBe(2);
    expect(err).toContain('CLAIMS_TABLE_NAME must be the name or the ARN of a DynamoDB table.');
  });

  it('takes the options of a command before it too', async () => {
    const { status, err } = await runCommand(['--table', "a'b", 'claims', 'list']);
    expect(status).toBe(2);
    expect(err).toContain('--table must be the name');
  });
});

describe('An error', () => {
  const list = ['claims', 'list', '--table', 'claims'] as const;

  it('is one line, with the stack on request', async () => {
    const argv = [...list, '--endpoint-url', 'http://127.0.0.1:9', '--region', 'eu-west-1'];
    const { status, out, err } = await runCommand(argv);
    expect({ status, out }).toEqual({ status: 1, out: '' });
    expect(err).toMatch(/^Error: No server answers \(.*ECONNREFUSED.*\): check --endpoint-url, .*\n$/);
    const verbose = await runCommand([...argv, '--verbose']);
    expect(verbose.err).toMatch(/made-up credentials are used\./);
    expect(verbose.err).toMatch(/\n {4}at /);
  });
});
