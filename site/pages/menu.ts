import type { DefaultTheme } from 'vitepress';
import { headings } from '../../test/docs/markdown.ts';
import { kindOfReference } from './reference.ts';
import { addressOf, SITE_PAGES, textOf, titleOf } from './site-pages.ts';

/** A page in the menu: its path, or that of a section (`docs/x.md#anchor`), with another text than its heading. */
interface Entry {
  readonly to: string;
  readonly text?: string;
  readonly below?: Entries;
}
type Entries = readonly (string | Entry)[];

const GROUPS: Readonly<Record<string, Entries>> = {
  Start: [
    'docs/quick-start.md',
    'docs/concepts.md',
    { to: 'docs/simulation.md', text: 'Simulation' },
    'docs/options.md',
    'docs/keys.md',
    'docs/outcomes.md',
    'docs/errors.md',
    { to: 'docs/faq.md', text: 'Questions' },
  ],
  Sources: [
    'docs/sources.md',
    'docs/sources/sqs.md',
    'docs/sources/kinesis.md',
    'docs/sources/dynamodb-streams.md',
    { to: 'docs/sources/streams.md', text: 'Checkpoints of streams' },
    'docs/sources/kafka.md',
    'docs/sources/eventbridge.md',
    { to: 'docs/sources/eventbridge-bus.md', text: 'EventBridge, custom bus' },
    'docs/sources/sns.md',
    'docs/sources/s3.md',
    { to: 'docs/sources/asynchronous.md', text: 'Asynchronous invocations' },
    'docs/sources/pipes.md',
    { to: 'docs/sources/decode.md', text: '`decode`' },
  ],
  Stores: [
    'docs/stores.md',
    'docs/stores/dynamodb.md',
    { to: 'docs/stores/overdue-index.md', text: 'Index of overdue claims' },
    'docs/stores/dynamodb-requests.md',
    'docs/stores/postgres.md',
    { to: 'docs/stores/redis.md', text: 'Redis' },
    'docs/stores/memory.md',
    'docs/long-results.md',
    { to: 'docs/exactly-once.md', text: 'Exactly once' },
  ],
  Policies: [
    'docs/failures.md',
    { to: 'docs/policies/visibility.md', text: 'Retries' },
    { to: 'docs/policies/permanent-failures.md', text: 'Permanent failures' },
    { to: 'docs/policies/dead-letter.md', text: 'Dead-letter queue' },
    { to: 'docs/policies/crashes.md', text: 'Crashes' },
    { to: 'docs/policies/reading.md', text: 'Crashes in reading' },
    { to: 'docs/policies/conflicts.md', text: 'Conflicts' },
    { to: 'docs/policies/heartbeat.md', text: 'Heartbeat' },
    { to: 'docs/policies/interruptions.md', text: 'Interruptions' },
    { to: 'docs/policies/store-outages.md', text: 'Outages of the store' },
    { to: 'docs/policies/payload-validation.md', text: 'Other payloads' },
    { to: 'docs/policies/schema.md', text: 'Schemas' },
    { to: 'docs/policies/retention.md', text: 'Retention' },
  ],
  Operations: [
    'docs/operations.md',
    { to: 'docs/operations/list.md', text: 'List' },
    { to: 'docs/operations/show.md', text: 'Show' },
    { to: 'docs/operations/release.md', text: 'Release' },
    { to: 'docs/operations/resolve.md', text: 'Resolve' },
    { to: 'docs/operations/park.md', text: 'Park' },
    { to: 'docs/operations/forget.md', text: 'Forget' },
    'docs/operations/changes.md',
    { to: 'docs/operations/statistics.md', text: 'Count' },
    { to: 'docs/operations/copy.md', text: 'Copy to another store' },
    { to: 'docs/dead-letters.md', text: 'Dead-letter queues' },
    { to: 'docs/operations/peek.md', text: 'Look at dead letters' },
    { to: 'docs/operations/redrive.md', text: 'Redrive' },
    'docs/console.md',
    { to: 'docs/cli.md', text: 'Command line' },
    'docs/observing.md',
  ],
  Running: [
    { to: 'docs/dev.md', text: '`dev` and `invoke`' },
    'docs/deploying.md',
    { to: 'docs/cdk.md', text: 'AWS CDK' },
    'docs/doctor.md',
    'docs/worker.md',
    'docs/scaling.md',
    'docs/functions.md',
    { to: 'docs/http.md', text: 'HTTP requests' },
    'docs/durable.md',
    'docs/sam-local.md',
  ],
  'Moving over': [
    { to: 'docs/moving.md', text: 'What differs' },
    { to: 'docs/migrating-from-powertools.md', text: 'From Powertools' },
    { to: 'docs/migrating-from-sqs-consumer.md', text: 'From sqs-consumer' },
    { to: 'docs/migrating-from-middy.md', text: 'From middy' },
    { to: 'docs/migrating-from-own-code.md', text: 'From code of your own' },
  ],
  Choosing: [
    'docs/comparison.md',
    'docs/costs.md',
    { to: 'docs/costs-calculator.md', text: 'Costs calculator' },
  ],
};

/** What comes last, for who wants to know how it works. */
const INSIDE: Entries = [
  'docs/testing.md',
  'docs/architecture.md',
  { to: 'docs/decisions/README.md', below: SITE_PAGES.filter((page) => /^docs\/decisions\/\d/.test(page)) },
  { to: 'docs/versions.md' },
  'CHANGELOG.md',
  { to: 'CONTRIBUTING.md', text: 'Contributing' },
  { to: 'SECURITY.md', text: 'Security' },
];

/** The menu of every page. What is in none of its groups, such as a page that was added, comes in one of its own. */
export function menu(): DefaultTheme.SidebarItem[] {
  const groups = Object.entries(GROUPS).map(([text, entries]) => groupOf(text, entries));
  const examples = SITE_PAGES.filter((page) => page.startsWith('examples/'));
  const inside = groupOf('Inside', INSIDE);
  const listed = new Set([...linksIn([...groups, inside]), ...examples.map(addressOf)]);
  const others = SITE_PAGES.filter((page) => !page.startsWith('site/') && !listed.has(addressOf(page)));
  return [...groups, groupOf('Examples', examples), groupOf('More', others), ...reference(), inside].filter(
    ({ items = [] }) => items.length > 0,
  );
}

/** Every page of the menu once, in its order. */
export function linksIn(items: readonly DefaultTheme.SidebarItem[]): string[] {
  const links = items.flatMap(({ link, items: below = [] }) => [link ?? '', ...linksIn(below)]);
  return [...new Set(links.map((link) => link.replace(/#.*/, '')))].filter((link) => link !== '');
}

/** There once `npm run reference` has made it. */
function reference(): DefaultTheme.SidebarItem[] {
  const kind = kindOfReference();
  if (kind === undefined) return [];
  const link = { text: 'API reference', link: '/reference/' };
  // Pages that are not VitePress's own are loaded whole.
  if (kind === 'html') return [{ text: 'Reference', items: [{ ...link, target: '_self' }] }];
  const entries = SITE_PAGES.filter((page) =>
    /^site\/reference\/batchlatch\/([\w-]+\/)?index\.md$/.test(page),
  );
  // A folder for interfaces, classes and so on has no page of its own, unlike that of an entry.
  return [{ text: 'Reference', items: [link, ...entries.toSorted().map((page) => itemOf(page))] }];
}

function groupOf(text: string, entries: Entries): DefaultTheme.SidebarItem {
  return { text, items: entries.map(itemOf) };
}

function itemOf(entry: string | Entry): DefaultTheme.SidebarItem {
  const { to, text, below }: Entry = typeof entry === 'string' ? { to: entry } : entry;
  const [page = '', anchor] = to.split('#');
  if (!SITE_PAGES.includes(page)) throw new Error(`The menu has ${page}, which is no page`);
  const hash = anchor === undefined ? '' : `#${anchor}`;
  return {
    text: withCode(text ?? (anchor === undefined ? titleOf(page) : sectionOf(page, anchor))),
    link: `${addressOf(page)}${hash}`,
    ...(below !== undefined && { collapsed: true, items: below.map(itemOf) }),
  };
}

function sectionOf(page: string, anchor: string): string {
  const section = headings(textOf(page)).find((heading) => heading.anchor === anchor);
  if (section === undefined) throw new Error(`The menu has ${page}#${anchor}, which is no heading`);
  return section.text;
}

/** The menu shows HTML. */
function withCode(text: string): string {
  return text.replaceAll('<', '&lt;').replaceAll(/`([^`]+)`/g, '<code>$1</code>');
}
