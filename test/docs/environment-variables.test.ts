import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { choose } from '../../src/aws/environment.ts';
import { DYNAMODB } from '../../src/stores/dynamodb/transport.ts';
import { PAGES } from './pages.ts';

const page = PAGES.get('docs/stores/dynamodb-requests.md') ?? '';
const [, listed = ''] = page.split('<!-- each value has its test -->');
const [deciding = '', harmless = ''] = (listed.split('<!-- end of the variables -->')[0] ?? '').split(
  'These change nothing',
);

interface Row {
  readonly variables: readonly string[];
  readonly direct: readonly string[];
  readonly sdk: readonly string[];
}

function rowsOf(table: string): Row[] {
  const rows = table.split('\n').filter((line) => line.startsWith('| `'));
  return rows.map((line) => {
    const [variables = '', direct = '', sdk = ''] = line.split('|').slice(1);
    return { variables: quoted(variables), direct: quoted(direct), sdk: quoted(sdk) };
  });
}

/** What stands between backticks, but for the names of variables and headers. */
function quoted(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text);
}

const isValue = (text: string): boolean => !/^([A-Z][A-Z_]+|User-Agent|https)$/.test(text);
const PLAIN = { AWS_REGION: 'eu-central-1', AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret' };
const chosen = (variable: string, value: string): unknown =>
  choose(DYNAMODB, { ...PLAIN, [variable]: value }, () => '').transport;

describe('The variables of docs/stores/dynamodb-requests.md', () => {
  const rows = rowsOf(deciding);
  const documented = rows.flatMap(({ variables }) => variables);

  it('are those that the code reads, each of them, and no others', () => {
    const files = readdirSync('src/aws').filter((file) => file.endsWith('.ts'));
    const code = files.map((file) =>
      readFileSync(`src/aws/${file}`, 'utf8').replaceAll(/\/\*\*[^]*?\*\//g, ''),
    );
    const read = code.flatMap(
      (text) => text.match(/\b(AWS|NODE)_[A-Z\d_]+\b|(?<=')(HOME|USERPROFILE)(?=')/g) ?? [],
    );
    const names = new Set(
      read.map((name) => (name === 'AWS_ENDPOINT_URL_' ? 'AWS_ENDPOINT_URL_DYNAMODB' : name)),
    );
    expect([...names].sort()).toEqual([...documented].sort());
  });

  it.each(
    rows.flatMap(({ variables, direct, sdk }) =>
      variables.flatMap((variable) => [
        ...direct.filter(isValue).map((value) => [variable, value, 'direct'] as const),
        ...sdk.filter(isValue).map((value) => [variable, value, 'sdk'] as const),
      ]),
    ),
  )('do what it says: %s=%s leads to %s', (variable, value, transport) => {
    expect(chosen(variable, value)).toBe(transport);
  });

  it('that change nothing change nothing, and are in no code', () => {
    const variables = rowsOf(harmless).flatMap((row) => row.variables);
    expect(variables.length).toBeGreaterThan(10);
    for (const variable of variables) {
      expect(documented).not.toContain(variable);
      const values = ['1', 'true', 'http://user:password@127.0.0.1:1'];
      expect([variable, values.map((value) => chosen(variable, value))]).toEqual([
        variable,
        values.map(() => 'direct'),
      ]);
    }
  });

  it("name every variable that the list of the SDK's own calls harmless", () => {
    const list = readFileSync('test/stores/direct/environment.test.ts', 'utf8');
    const [, text = ''] = /const harmless[^{]+\{([^}]+)\}/.exec(list) ?? [];
    const names = [...text.matchAll(/^ +([A-Z\d_]+): '(?!no variable|for (the same|a warning))/gm)].map(
      ([, name]) => name,
    );
    expect(names.length).toBeGreaterThan(8);
    expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });
});

describe('The settings of the shared files there', () => {
  const [, section = ''] = page.split('## Shared files');
  const [always = [], withKey = []] = rowsOf(section.split('\n## ')[0] ?? '').map(
    ({ variables }) => variables,
  );
  const chosenWith = (setting: string, more: Readonly<Record<string, string>>): unknown =>
    choose(DYNAMODB, { ...PLAIN, ...more }, () => `[default]\n${setting.replace('…', 'thing')} = x\n`)
      .transport;

  it('change nothing', () => {
    expect([always.length, withKey.length]).toEqual([5, 11]);
    const without = { AWS_ACCESS_KEY_ID: '' };
    expect(always.filter((setting) => chosenWith(setting, without) !== 'direct')).toEqual([]);
    expect(withKey.filter((setting) => chosenWith(setting, {}) !== 'direct')).toEqual([]);
    expect(withKey.filter((setting) => chosenWith(setting, without) !== 'sdk')).toEqual([]);
  });
});
