import type { DefaultTheme } from 'vitepress';

interface MenuPlace {
  readonly base: string;
  /** The address of the page that is shown; its link is marked, and the groups around it are open. */
  readonly at: string;
}

/** Returns the menu as HTML, whose groups fold without JavaScript. */
export function menuHtml(items: readonly DefaultTheme.SidebarItem[], place: MenuPlace): string {
  return items.map((group) => groupHtml(group, place)).join('');
}

function groupHtml({ text = '', link, items = [], collapsed }: DefaultTheme.SidebarItem, place: MenuPlace) {
  const list = listHtml(link === undefined ? items : [{ text: 'Overview', link }, ...items], place);
  if (collapsed === undefined) return `<section class="group"><h2>${text}</h2>${list}</section>`;
  return `<details class="group"${openIf(list)}><summary>${text}</summary>${list}</details>`;
}

function listHtml(items: readonly DefaultTheme.SidebarItem[], place: MenuPlace): string {
  const entries = items.map(({ text = '', link = '', items: below }) => {
    if (below === undefined) return `<li>${linkHtml(text, link, place)}</li>`;
    const list = listHtml([{ text: 'Overview', link }, ...below], place);
    return `<li><details${openIf(list)}><summary>${text}</summary>${list}</details></li>`;
  });
  return `<ul>${entries.join('')}</ul>`;
}

function linkHtml(text: string, link: string, { base, at }: MenuPlace): string {
  return `<a href="${hrefOf(link, base)}"${link === at ? ' aria-current="page"' : ''}>${text}</a>`;
}

function openIf(list: string): string {
  return list.includes('aria-current') ? ' open' : '';
}

/** Returns the address of a page as a host of static files serves it; the menu has it without a suffix. */
export function hrefOf(link: string, base: string): string {
  return base.replace(/\/$/, '') + link.replace(/^([^#]*[^/#])(#|$)/, '$1.html$2');
}

/** Returns the address in the menu of a page by its file on the site, such as `decisions/index.md`. */
export function menuAddress(relativePath: string): string {
  return `/${relativePath.replace(/\.md$/, '').replace(/(^|\/)index$/, '$1')}`;
}
