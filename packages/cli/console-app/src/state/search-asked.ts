import { createStore } from './store.ts';

/** Whether a person wants to type into the search; the field takes the focus as soon as it is there. */
export const searchAsked = createStore(false);
