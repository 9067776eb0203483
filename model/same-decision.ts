import {
  type Asked,
  ruleOfAcquire,
  ruleOfEnd,
  ruleOfExtension,
  ruleOfOperation,
  ruleOfStart,
} from './rules.ts';
import type { Decision } from './decisions.ts';
import {
  attemptOf,
  clockOf,
  COMPLETED_RETENTION,
  type End,
  type Instance,
  isSameRow,
  LEASE,
  PARKED_RETENTION,
  personOf,
  RETENTION,
  rowIn,
  type State,
} from './state.ts';

const RETENTIONS = {
  complete: COMPLETED_RETENTION,
  fail: RETENTION,
  park: PARKED_RETENTION,
  release: RETENTION,
};

/** Whether the rules decide the step that led to a state as the code did. */
export function isAsRuled(before: State, after: State, instance: Instance): boolean {
  const { last } = after;
  if (last.fate !== 'heard') return true; // where no answer is heard, the decision is the same
  const ruled = decisionOfRules(before, after, instance);
  return (
    isSameRow(ruled.row, last.after) &&
    JSON.stringify(ruled.answer) === JSON.stringify({ ...ruled.answer, ...last.answer })
  );
}

function decisionOfRules(before: State, after: State, { tolerance }: Instance): Decision {
  const { name, actor: owner, key, how, ticks } = after.last;
  const row = rowIn(before, key);
  const at = clockOf(before, owner);
  const mine = attemptOf(after, owner);
  switch (name) {
    case 'acquire': {
      const { payload, marks } = mine;
      const asked: Asked = { owner, payload, marks, lease: LEASE, retention: RETENTION };
      return ruleOfAcquire(row, asked, at, tolerance);
    }
    case 'start':
      return ruleOfStart(row, owner);
    case 'extend':
      return ruleOfExtension(row, { owner, lease: ticks, retention: RETENTION }, at);
    case 'settle':
    case 'commit': {
      const end = name === 'commit' ? 'complete' : (how as End);
      return ruleOfEnd(row, { owner, end, releases: mine.releases, retention: RETENTIONS[end] }, at);
    }
    case 'operate':
      return ruleOfOperation(row, personOf(after, owner), owner, at, {
        tolerance,
        retention: PARKED_RETENTION,
      });
    case 'init':
    case 'startUnmarked':
    case 'die':
    case 'look':
    case 'pass':
    case 'delete':
      throw new Error(`A store decides nothing at ${name}`);
  }
}
