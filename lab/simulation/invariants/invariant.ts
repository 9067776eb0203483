/** What must hold after every step of the simulation, by the name that a violation is reported under. */
export const invariants = {
  'one-live-attempt': 'no two attempts of one key are live at the same time',
  'lease-before-start': 'no handler starts without a live lease',
  'completed-stays-completed': 'a completed key does not run again within its retention',
  'parked-stays-parked': 'a parked key does not run again, or not before its retention is over',
  'first-answer-stays':
    'with replayFailures a call that failed, and was not told to stop, is not run again within its retention',
  'calls-get-the-kept-answer': 'a call gets what the run of its key gave whose end is stored',
  'completed-means-done':
    'a claim is completed only after its handler has returned, with all of its work done',
  'done-means-completed': 'what a handler has said to be done is not failed, whatever its signal said',
  'done-without-its-result': 'a result that is too large for its row is left out, and its work is completed',
  'late-owner-changes-nothing': 'who does not own a claim changes nothing of it',
  'invocations-end': 'an invocation answers by its deadline, and without one within a bound',
  'invocations-go-on': 'no invocation waits while nothing is under way',
  'no-start-without-time': 'nothing starts in an invocation that begins when its time is over',
  'state-machine': 'rows and leases change only as somebody asked for',
  'fencing-token-grows': 'every start of a key has a higher attempt than those before',
  'max-attempts': 'a key starts at most maxAttempts times',
  'max-crashes': 'a key whose attempts died maxCrashes times in a row does not start again',
  'lapsed-lease-parks':
    "with onLapsedLease: 'park' a key starts again only after every earlier start was settled",
  'death-needs-a-start': 'a key is parked for its deaths only when as many of its attempts started and died',
  'parked-rows-expire': 'what is parked has an end of its retention',
  'answers-are-true': 'what the store tells an attempt was so at some time between question and answer',
  'one-key-per-call': 'no call to the store carries a key twice',
  'suspect-runs-alone': 'a key whose last attempt died runs after all others have settled, and alone',
  'claims-are-given-back': 'no claim is kept that was not started',
  'in-order':
    'what has to be in order, FIFO groups and partition keys, starts only after all before it is completed or dead-lettered',
  'no-order-in-standard-queues': 'a standard queue hands nothing back for the sake of order',
  'response-is-exact': 'the response names the records that failed, all of them and nothing else',
  'effect-with-completion':
    'an effect that is committed exists once, from the moment its owner completed the claim, or never',
  'commit-ends-the-claim': 'nothing is settled after a commit that was written',
  'acknowledged-means-completed':
    'a message is acknowledged only after its completion is stored, or a dead-letter queue has it',
  'dead-letters-are-parked': 'only what has been parked is sent to a dead-letter queue',
  'mismatch-is-its-own':
    'a record is refused for its payload only when its key was claimed for another, not along with a neighbour',
  'dead-leases-lose-nothing':
    'an event is not given up because of the lease of a process that is dead, or of a claim nobody knows of',
  'every-message-ends': 'every message ends completed, dead-lettered or parked',
  'no-unhandled-rejection': 'no promise is rejected without anybody there',
  'simulation-itself': 'the simulation understands what the code does',
} as const;

export type InvariantName = keyof typeof invariants;

export interface Violation {
  readonly invariant: InvariantName;
  readonly message: string;
  /** True time of the violation, in milliseconds since the run began. */
  readonly atMs: number;
}
