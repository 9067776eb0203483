import { pageFiles } from './page-files.ts';

// The page's own test: `describeClaimStore` on the page's store. Without the condition of `put` its races fail.
await pageFiles('docs/custom-store.md').load('key-value-store.test.ts');
