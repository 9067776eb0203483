import type { Host } from '../attempts/host.ts';
import type { SettlingAttempt } from '../attempts/scope.ts';
import type { Settlements } from '../claims/settlement-queue.ts';
import type { Acquires } from './context.ts';

/** Has the host hear of each group of claims until all of it is answered. */
export function watchedAcquires(acquires: Acquires, { noteAsked }: Host): Acquires {
  return {
    ...acquires,
    putAll(requests, attempts, onAnswer) {
      const answered = noteAsked();
      let unanswered = requests.length;
      acquires.putAll(requests, attempts, (...answer) => {
        unanswered -= 1;
        if (unanswered === 0) answered();
        onAnswer(...answer);
      });
    },
  };
}

/** Has the host hear of each settlement until it is answered. */
export function watchedSettlements(
  settlements: Settlements<SettlingAttempt>,
  { noteAsked }: Host,
): Settlements<SettlingAttempt> {
  return {
    ...settlements,
    settle(settlement, attempt, onAnswer) {
      const answered = noteAsked();
      settlements.settle(settlement, attempt, (...answer) => {
        answered();
        onAnswer(...answer);
      });
    },
  };
}
