import type { DefaultTheme } from 'vitepress';
import { addressOf, SITE_PAGES, titleOf } from './site-pages.ts';

/** A page in the menu by its path, with another text than its heading. */
interface Entry {
  readonly to: string;
  readonly text?: string;
  readonly below?: Entries;
}
type Entries = readonly (string | Entry)[];

/** The pages below an overview are folded away, until one of them is read; a group without an overview is always open. */
interface Group {
  readonly overview?: string;
  readonly pages: Entries;
}

const GROUPS: Readonly<Record<string, Group>> = {
  Start: {
    pages: [
      'docs/quick-start.md',
      'docs/create.md',
      'docs/concepts.md',
      { to: 'docs/simulation.md', text: 'Simulation' },
      'docs/options.md',
      'docs/keys.md',
      'docs/outcomes.md',
      'docs/errors.md',
      { to: 'docs/faq.md', text: 'Questions' },
    ],
  },
  Sources: {
    overview: 'docs/sources.md',
    pages: [
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
  },
  Stores: {
    overview: 'docs/stores.md',
    pages: [
      'docs/stores/dynamodb.md',
      { to: 'docs/stores/overdue-index.md', text: 'Index of overdue claims' },
      'docs/stores/dynamodb-requests.md',
      'docs/stores/postgres.md',
      { to: 'docs/stores/redis.md', text: 'Redis' },
      'docs/stores/memory.md',
      'docs/long-results.md',
      { to: 'docs/exactly-once.md', text: 'Exactly once' },
    ],
  },
  Policies: {
    overview: 'docs/failures.md',
    pages: [
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
  },
  Operations: {
    overview: 'docs/operations.md',
    pages: [
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
      'docs/apm-agents.md',
    ],
  },
  Running: {
    pages: [
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
  },
  'Moving over': {
    overview: 'docs/moving.md',
    pages: [
      { to: 'docs/migrating-from-powertools.md', text: 'From Powertools' },
      { to: 'docs/migrating-from-sqs-consumer.md', text: 'From sqs-consumer' },
      { to: 'docs/migrating-from-middy.md', text: 'From middy' },
      { to: 'docs/migrating-from-own-code.md', text: 'From code of your own' },
    ],
  },
  Recipes: {
    overview: 'docs/recipes/README.md',
    pages: SITE_PAGES.filter((page) => /^docs\/recipes\/(?!README)/.test(page)),
  },
  Choosing: {
    pages: [
      'docs/comparison.md',
      'docs/costs.md',
      { to: 'docs/costs-calculator.md', text: 'Costs calculator' },
    ],
  },
};

/** What comes last, for who wants to know how it works. */
const INSIDE: Entries = [
  'docs/testing.md',
  'docs/testing-entry.md',
  'docs/model.md',
  'docs/architecture.md',
  { to: 'docs/decisions/README.md', below: SITE_PAGES.filter((page) => /^docs\/decisions\/\d/.test(page)) },
  'docs/dependencies.md',
  'docs/versions.md',
  'docs/releases.md',
  'CHANGELOG.md',
  { to: 'CONTRIBUTING.md', text: 'Contributing' },
  { to: 'SECURITY.md', text: 'Security' },
];

/** The menu of every page. What is in none of its groups, such as a page that was added, comes in one of its own. */
export function menu(): DefaultTheme.SidebarItem[] {
  const groups = Object.entries(GROUPS).map(([text, group]) => groupOf(text, group));
  const examples = SITE_PAGES.filter((page) => page.startsWith('examples/'));
  const inside = groupOf('Inside', { pages: INSIDE });
  const listed = new Set([...linksIn([...groups, inside]), ...examples.map(addressOf)]);
  const others = SITE_PAGES.filter((page) => !page.startsWith('site/') && !listed.has(addressOf(page)));
  return [
    ...groups,
    groupOf('Examples', { pages: examples }),
    groupOf('More', { pages: others }),
    reference(),
    inside,
  ].filter(({ items = [] }) => items.length > 0);
}

/** Every page of the menu once, in its order. */
export function linksIn(items: readonly DefaultTheme.SidebarItem[]): string[] {
  const links = items.flatMap(({ link, items: below = [] }) => [link ?? '', ...linksIn(below)]);
  return [...new Set(links)].filter((link) => link !== '');
}

function reference(): DefaultTheme.SidebarItem {
  // A folder of interfaces, classes and so on has no page of its own, unlike that of an entry.
  const entries = SITE_PAGES.filter((page) =>
    /^site\/reference\/batchlatch\/([\w-]+\/)?index\.md$/.test(page),
  );
  const items = entries.toSorted().map((page) => itemOf(page));
  return { text: 'Reference', link: '/reference/', collapsed: true, items };
}

function groupOf(text: string, { overview, pages }: Group): DefaultTheme.SidebarItem {
  const items = pages.map((page) => itemOf(page));
  return overview === undefined
    ? { text, items }
    : { text, link: addressOf(overview), collapsed: true, items };
}

function itemOf(entry: string | Entry): DefaultTheme.SidebarItem {
  const { to, text, below }: Entry = typeof entry === 'string' ? { to: entry } : entry;
  if (!SITE_PAGES.includes(to)) throw new Error(`The menu has ${to}, which is no page`);
  return {
    text: withCode(text ?? titleOf(to)),
    link: addressOf(to),
    ...(below !== undefined && { collapsed: true, items: below.map((page) => itemOf(page)) }),
  };
}

/** The menu shows HTML. */
function withCode(text: string): string {
  return text.replaceAll('<', '&lt;').replaceAll(/`([^`]+)`/g, '<code>$1</code>');
}
