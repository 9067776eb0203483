import { describe, it } from '@jest/globals';
import { memoryStore } from 'batchlatch/memory';
import { describeClaimStore } from 'batchlatch/testing';
import { countersInMemory } from '../support/counters-in-memory.ts';

const { onCommit, ...commit } = countersInMemory();

describeClaimStore(
  { name: 'memoryStore', create: (clock) => memoryStore({ clock, onCommit }), commit },
  { describe, it },
);
