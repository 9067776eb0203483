import type { DefaultTheme } from 'vitepress';
import { type Entry, type Group, GROUPS, INSIDE } from './menu-groups.ts';
import { addressOf, SITE_PAGES, titleOf } from './site-pages.ts';

/** The menu of every page. What is in none of its groups, such as a page that was added, comes in one of its own. */
export function menu(): DefaultTheme.SidebarItem[] {
  const groups = Object.entries(GROUPS).map(([text, group]) => groupOf(text, group));
  groups.find(({ text }) => text === 'Reference')?.items?.push(apiReference());
  const examples = SITE_PAGES.filter((page) => page.startsWith('examples/'));
  const inside = groupOf('Inside', { pages: INSIDE });
  const listed = new Set([...linksIn([...groups, inside]), ...examples.map(addressOf)]);
  const others = SITE_PAGES.filter((page) => !page.startsWith('site/') && !listed.has(addressOf(page)));
  return [
    ...groups,
    groupOf('Examples', { pages: examples }),
    groupOf('More', { pages: others }),
    inside,
  ].filter(({ items = [] }) => items.length > 0);
}

/** Every page of the menu once, in its order. */
export function linksIn(items: readonly DefaultTheme.SidebarItem[]): string[] {
  const links = items.flatMap(({ link, items: below = [] }) => [link ?? '', ...linksIn(below)]);
  return [...new Set(links)].filter((link) => link !== '');
}

function apiReference(): DefaultTheme.SidebarItem {
  // A folder of interfaces, classes and so on has no page of its own, unlike that of an entry.
  const entries = SITE_PAGES.filter((page) =>
    /^site\/reference\/batchlatch\/([\w-]+\/)?index\.md$/.test(page),
  );
  const items = entries.toSorted().map((page) => itemOf(page));
  return { text: 'API', link: '/reference/', collapsed: true, items };
}

function groupOf(text: string, { overview, pages }: Group): DefaultTheme.SidebarItem {
  const items = pages.map((page) => itemOf(page));
  return { text, ...(overview !== undefined && { link: addressOf(overview) }), items };
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
