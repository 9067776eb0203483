// Loaded where it is wanted, and nothing else of its entry with it.
export { powertoolsAttributes } from 'batchlatch/powertools';
