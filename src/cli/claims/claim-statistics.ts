import type { Run } from '../leaf.ts';
export const statsCommand: Run<object> = () => Promise.resolve(0);
