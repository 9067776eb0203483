/**
 * Claims in the memory of this process, for tests and for trying things out.
 *
 * @module batchlatch/memory
 */
export { type MemoryStore, memoryStore, type MemoryStoreOptions } from './memory-store.ts';
