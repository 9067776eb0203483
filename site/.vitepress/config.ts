import path from 'node:path';
import { defineConfig } from 'vitepress';
import { slugOf } from '../../test/docs/markdown.ts';
import { emptyHeaders } from '../pages/empty-headers.ts';
import { livePart } from '../pages/live-parts.ts';
import { writeMarkdown } from '../pages/markdown-copies.ts';
import { menu } from '../pages/menu.ts';
import { pageFacts } from '../pages/page-facts.ts';
import { ROOT } from '../pages/root.ts';
import { siteLinks } from '../pages/site-links.ts';
import { tabs } from '../pages/tabs.ts';
import { NOT_PAGES, routeOf, SITE_PAGES } from '../pages/site-pages.ts';

const DESCRIPTION =
  'Runs batches of SQS, Kafka, Kinesis, DynamoDB Streams and EventBridge records on AWS Lambda through per-record claims.';

/** Where the site is on its host. */
const BASE = process.env['SITE_BASE'] ?? '/';

export default defineConfig({
  title: 'batchlatch',
  description: DESCRIPTION,
  lang: 'en',
  // The pages are the Markdown of the repository, where it lies.
  srcDir: '..',
  srcExclude: [...NOT_PAGES],
  rewrites: Object.fromEntries(SITE_PAGES.map((page) => [page, `${routeOf(page)}.md`])),
  base: BASE,
  metaChunk: true,
  outDir: 'dist',
  cacheDir: path.join(ROOT, 'node_modules/.cache/vitepress'),
  vite: {
    publicDir: path.join(ROOT, 'site/public'),
    resolve: {
      alias: [
        { find: /^node:.*/, replacement: path.join(ROOT, 'site/browser/node-builtins.ts') },
        {
          find: /^.*\/VPSidebarGroup\.vue$/,
          replacement: path.join(ROOT, 'site/.vitepress/theme/MenuGroups.vue'),
        },
      ],
    },
  },
  head: [
    ['link', { rel: 'icon', type: 'image/svg+xml', href: `${BASE}icon.svg` }],
    // Without JavaScript a live part would be a form that does nothing.
    ['noscript', {}, '<style>.live-part { display: none }</style>'],
  ],
  markdown: {
    anchor: { slugify: slugOf },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config(markdown) {
      siteLinks(markdown);
      livePart(markdown, BASE);
      tabs(markdown);
      emptyHeaders(markdown);
    },
  },
  transformHead: ({ pageData }) => [
    ['link', { rel: 'alternate', type: 'text/markdown', href: `${BASE}${pageData.relativePath}` }],
  ],
  transformPageData: ({ filePath, frontmatter }) => ({
    facts: pageFacts(filePath),
    // Event and response need the room beside each other.
    ...(filePath === 'docs/playground.md' && { frontmatter: { ...frontmatter, aside: false } }),
  }),
  buildEnd: ({ outDir }) => writeMarkdown(outDir, BASE),
  themeConfig: {
    search: {
      provider: 'local',
      // Who searches for an option wants the page about it before the many of the reference that name it.
      options: {
        miniSearch: {
          searchOptions: { boostDocument: (id: string) => (id.includes('/reference/') ? 0.2 : 1) },
        },
      },
    },
    sidebar: menu(),
    nav: [
      { text: 'Quick start', link: '/quick-start' },
      { text: 'Concepts', link: '/concepts' },
      { text: 'Options', link: '/options' },
      { text: 'Simulation', link: '/simulation' },
      { text: 'Reference', link: '/reference/' },
    ],
    outline: { level: [2, 3], label: 'On this page' },
    docFooter: { prev: 'Before', next: 'Next' },
  },
});
