import type * as Core from 'batchlatch/core';
import type * as DynamoDB from 'batchlatch/dynamodb';
import type * as Memory from 'batchlatch/memory';

/** The files that are published: a loader of TypeScript would add calls of its own. */
export const BUILT = new URL('../../dist/esm/', import.meta.url).href;

const built = <Entry>(file: string): Promise<Entry> => import(BUILT + file) as Promise<Entry>;

export const core = await built<typeof Core>('core.js');
export const { memoryStore } = await built<typeof Memory>('stores/memory/index.js');
export const { dynamoDBStore } = await built<typeof DynamoDB>('stores/dynamodb/index.js');
