import { describe, expect, it } from '@jest/globals';
import { links } from './markdown.ts';
import { PAGES } from './pages.ts';

/** The hosts that pages may lead to. Nothing is asked of them: a name that is misspelt is what is found. */
const HOSTS = [
  'aws.amazon.com',
  'datatracker.ietf.org',
  'docs.aws.amazon.com',
  'docs.npmjs.com',
  'esbuild.github.io',
  'github.com',
  'keda.sh',
  'modelcontextprotocol.io',
  'protobuf.dev',
  'quint-lang.org',
  'semver.org',
  'standardschema.dev',
  'verdaccio.org',
  'www.npmjs.com',
];

const external = [...PAGES].flatMap(([page, text]) =>
  links(text)
    .filter(({ target }) => /^[a-z][a-z+.-]*:|^\/\//i.test(target))
    .map(({ line, target }) => ({ at: `${page}:${line}`, target })),
);

describe('Links to other sites', () => {
  it('begin with https, and name a host of the list', () => {
    expect(external.length).toBeGreaterThan(40);
    expect(
      external.flatMap(({ at, target }) => wrongIn(target).map((what) => `${at}: ${target} ${what}`)),
    ).toEqual([]);
  });

  it('name each host of the list', () => {
    const named = new Set(external.map(({ target }) => new URL(target).hostname));
    expect(HOSTS.filter((host) => !named.has(host))).toEqual([]);
  });

  it.each([
    ['http://github.com/a', ['does not begin with https']],
    ['//github.com/a', ['is no URL']],
    ['https://docs.aws.amazom.com/lambda', ['leads to docs.aws.amazom.com, which is not in the list']],
    ['https://github.com:8443/a', ['has a port or a user']],
    ['https://github.com/a', []],
  ])('are looked at: %s', (target, wrong) => {
    expect(wrongIn(target)).toEqual(wrong);
  });
});

function wrongIn(target: string): string[] {
  if (!URL.canParse(target)) return ['is no URL'];
  const { protocol, hostname, host, username } = new URL(target);
  if (protocol !== 'https:') return ['does not begin with https'];
  if (host !== hostname || username !== '') return ['has a port or a user'];
  return HOSTS.includes(hostname) ? [] : [`leads to ${hostname}, which is not in the list`];
}
