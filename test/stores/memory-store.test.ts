import { describe, it } from '@jest/globals';
import { memoryStore } from 'batchlatch/memory';
import { describeClaimStore } from 'batchlatch/testing';

describeClaimStore({ name: 'memoryStore', create: (clock) => memoryStore({ clock }) }, { describe, it });
