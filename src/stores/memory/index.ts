/**
 * Claims in the memory of this process, for tests and for trying things out.
 *
 * @module batchlatch/memory
 */
export { memoryStore, type MemoryStoreOptions } from './memory-store.ts';
