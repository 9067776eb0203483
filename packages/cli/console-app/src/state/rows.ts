import { createStore } from './store.ts';
import { remember, remembered } from './stored.ts';

const NAME = 'batchlatch-rows';

/** Whether the rows of tables are dense. */
export const isDense = createStore(remembered(NAME) === 'dense');

/** Makes rows dense or comfortable, also for the next time. */
export function setDense(dense: boolean): void {
  remember(NAME, dense ? 'dense' : undefined);
  if (dense) document.documentElement.dataset['rows'] = 'dense';
  else delete document.documentElement.dataset['rows'];
  isDense.set(dense);
}
