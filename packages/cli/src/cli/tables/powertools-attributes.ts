// A module of its own, so that it is imported only when needed, and only this name is bundled.
export { powertoolsAttributes } from 'batchlatch/powertools';
