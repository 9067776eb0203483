import { describe, expect, it } from '@jest/globals';
import type { EventJson } from '../../console-app/src/api-types.ts';
import { timelineLayout } from '../../console-app/src/timeline/timeline-layout.ts';
import { timelineSteps, type TimelineStep } from '../../console-app/src/timeline/timeline-steps.ts';

const AT = '2026-01-10T12:00:00.000Z';
const step = (what: TimelineStep['what'], attempt: number, isByPerson = false): TimelineStep => ({
  what,
  attempt,
  isByPerson,
});
const change = (
  operation: 'release' | 'park' | 'resolve',
  from: Extract<EventJson, { kind: 'changed' }>['from'],
): EventJson => ({ kind: 'changed', at: AT, operation, operator: 'ann', reason: 'fixed', from });

describe('timelineSteps', () => {
  it('tells from a change how the attempt before it had ended', () => {
    const events: readonly EventJson[] = [
      { kind: 'claimed', at: AT, attempt: 1 },
      change('release', {
        status: 'PARKED',
        owner: 'a',
        attempt: 1,
        error: { name: 'Error', message: 'no' },
      }),
      { kind: 'claimed', at: AT, attempt: 2, lockedBy: 'Orders' },
      { kind: 'completed', at: AT, attempt: 2 },
    ];
    expect(timelineSteps({ state: 'completed', attempt: 2 }, events)).toMatchObject([
      { what: 'claimed', attempt: 1 },
      { what: 'parked', attempt: 1, isByPerson: false, error: { message: 'no' } },
      { what: 'release', attempt: 1, isByPerson: true, by: 'ann', reason: 'fixed' },
      { what: 'claimed', attempt: 2, by: 'Orders' },
      { what: 'completed', attempt: 2 },
    ]);
  });

  it('adds an attempt that only a change knows', () => {
    const steps = timelineSteps({ state: 'failed', attempt: 5 }, [
      change('release', { status: 'FAILED', owner: 'a', attempt: 5 }),
    ]);
    expect(steps.map(({ what }) => what)).toEqual(['claimed', 'failed', 'release']);
    expect(steps[0]).not.toHaveProperty('at');
  });

  it('tells one end once, though two changes follow it', () => {
    const steps = timelineSteps({ state: 'failed', attempt: 1 }, [
      { kind: 'claimed', at: AT, attempt: 1 },
      change('park', { status: 'FAILED', owner: 'a', attempt: 1 }),
      change('release', { status: 'PARKED', owner: 'b', attempt: 1 }),
    ]);
    expect(steps.map(({ what }) => what)).toEqual(['claimed', 'failed', 'park', 'release']);
  });

  it('ends with what is in progress', () => {
    const steps = timelineSteps({ state: 'in-progress', attempt: 2, leaseUntil: AT }, [
      { kind: 'claimed', at: AT, attempt: 2, tookOver: true },
    ]);
    expect(steps.map(({ what }) => what)).toEqual(['taken-over', 'running']);
  });
});

describe('timelineLayout', () => {
  it('leaves the key where an attempt is claimed, and comes back where it is settled', () => {
    const [claimed, failed] = timelineLayout([step('claimed', 1), step('failed', 1)]);
    expect(claimed).toMatchObject({ lane: 1, curves: [{ lane: 1, way: 'out' }] });
    expect(failed).toMatchObject({ lane: 0, curves: [{ lane: 1, way: 'in' }], lost: [] });
  });

  it('ends a branch that is taken over, beside the one that takes over', () => {
    const rows = timelineLayout([step('claimed', 1), step('taken-over', 2), step('completed', 2)]);
    expect(rows[1]).toMatchObject({ lane: 2, lost: [1] });
    expect(rows[2]).toMatchObject({ lane: 0, curves: [{ lane: 2, way: 'in' }] });
    expect(rows[2]?.rails.map(({ lane }) => lane)).toEqual([0]);
  });

  it('ends the branch of a claim that a person changes', () => {
    const rows = timelineLayout([step('claimed', 1), step('resolve', 1, true)]);
    expect(rows[1]).toMatchObject({ lane: 0, lost: [1] });
  });

  it('stays on the branch that hangs', () => {
    const rows = timelineLayout([step('claimed', 1), step('overdue', 1)]);
    expect(rows[1]).toMatchObject({ lane: 1, lost: [], rails: [{ lane: 0 }, { lane: 1, part: 'above' }] });
  });

  it('counts the attempts that left no trace', () => {
    const rows = timelineLayout([step('claimed', 1), step('failed', 1), step('claimed', 5)]);
    expect(rows.map(({ skipped }) => skipped)).toEqual([0, 0, 3]);
  });

  it('connects every row with the one before and after it', () => {
    const rows = timelineLayout([
      step('claimed', 1),
      step('taken-over', 2),
      step('failed', 2),
      step('release', 2, true),
      step('claimed', 3),
      step('running', 3),
    ]);
    const below = (row: (typeof rows)[number]): readonly number[] =>
      row.rails.filter(({ part }) => part !== 'above').map(({ lane }) => lane);
    const above = (row: (typeof rows)[number]): readonly number[] => [
      ...row.rails.filter(({ part }) => part !== 'below').map(({ lane }) => lane),
      ...row.curves.filter(({ way }) => way === 'in').map(({ lane }) => lane),
    ];
    rows.slice(1).forEach((row, index) => {
      const before = rows[index];
      expect(new Set(before && below(before))).toEqual(new Set(above(row)));
    });
  });
});
