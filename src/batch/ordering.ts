import { hostOf } from '../attempts/host.ts';
import type { Entry } from './entry.ts';
import { createLaneRunner, type LaneRunner } from './lane-runner.ts';
import { type Lane, lanesOf } from './lanes.ts';
import { isAcknowledged, outcomeOfFollower } from './outcomes.ts';
import type { RecordRunner } from './record-runner.ts';
import type { InvocationScope } from './invocation-scope.ts';

/** A lane from the entry on that has to run alone. */
interface PutOffLane {
  readonly lane: Lane;
  readonly from: number;
}

/**
 * In which order the records of a batch run: lanes side by side and in order inside, equal records after the one that
 * leads them, and what killed its process before at the end, one at a time.
 */
export class Ordering {
  readonly #scope: InvocationScope;
  readonly #runner: RecordRunner;
  readonly #lanes: LaneRunner;
  readonly #putOff: PutOffLane[] = [];

  /** `mayStart` says whether the lane of this head may start now. */
  constructor(scope: InvocationScope, runner: RecordRunner, mayStart: (head: Entry) => boolean) {
    this.#scope = scope;
    this.#runner = runner;
    const hasAfterRecord = scope.policies.some(({ afterRecord }) => afterRecord !== undefined);
    this.#lanes = createLaneRunner(
      (lane) => (lane.length === 1 && !hasAfterRecord ? this.#runOnly(lane) : this.#runLane(lane, 0, false)),
      ([head]) => mayStart(head as Entry),
    );
  }

  /** Resolves when every record has its outcome. */
  async run(): Promise<void> {
    const lanes = lanesOf(this.#scope.entries);
    const host = hostOf(this.#scope.lambda);
    if (host?.isAlone === true) {
      for (const lane of lanes) await this.#runLane(lane, 0, true);
      return;
    }
    await this.#lanes.run(lanes);
    if (host !== undefined) {
      for (const lane of this.#putOff) this.#leaveToHost(lane);
      return;
    }
    // A lane may be put off again, from a follower on whose leader is put off too. The one with the lowest
    // head never is, because leaders come before their followers: every round gets further.
    while (this.#putOff.length > 0) {
      const inOrder = this.#putOff.splice(0).sort((a, b) => headIndex(a) - headIndex(b));
      for (const { lane, from } of inOrder) await this.#runLane(lane, from, true);
    }
  }

  /** Other calls run in this process: when nothing does, the host calls with this lane alone. */
  #leaveToHost({ lane, from }: PutOffLane): void {
    for (const [index, entry] of lane.entries()) {
      if (index < from) continue;
      if (index === from) entry.deaths = deathsOf(entry);
      this.#runner.finishNotStarted(entry, index === from ? 'suspect' : 'order');
    }
  }

  /** To be called when another lane may start. */
  admit(): void {
    this.#lanes.admit();
  }

  /** The same as `#runLane` for the only entry of a lane, which nothing is done after. */
  #runOnly(lane: Lane): Promise<void> {
    return this.#process(lane[0] as Entry, false).then((end) => {
      if (end === 'put-off') this.#putOff.push({ lane, from: 0 });
    });
  }

  async #runLane(lane: Lane, from: number, isAlone: boolean): Promise<void> {
    for (let index = from; index < lane.length; index += 1) {
      const entry = lane[index] as Entry;
      if ((await this.#process(entry, isAlone)) === 'put-off') {
        this.#putOff.push({ lane, from: index });
        await Promise.all(lane.slice(index + 1).map((later) => this.#putOffBehind(later)));
        return;
      }
      for (const policy of this.#scope.policies) {
        if (policy.afterRecord !== undefined) await policy.afterRecord(entry, this.#scope);
      }
      if (!isAcknowledged(entry.outcome)) {
        // The order of the group: what comes after a failure is neither run nor acknowledged.
        await Promise.all(lane.slice(index + 1).map((later) => this.#handBackBehind(later)));
        return;
      }
    }
  }

  #process(entry: Entry, isAlone: boolean): Promise<'ended' | 'put-off'> {
    if (entry.outcome !== undefined) return Promise.resolve('ended');
    // Nearly always: nothing to wait for.
    return entry.leader === undefined && entry.behind === undefined
      ? this.#runner.run(entry, isAlone ? 'in-turn' : 'ahead', isAlone)
      : this.#processAfterEqual(entry, isAlone);
  }

  /** An entry that has an equal key before it in the batch. */
  async #processAfterEqual(entry: Entry, isAlone: boolean): Promise<'ended' | 'put-off'> {
    const isHeir = entry.leader !== undefined && (await this.#follow(entry, entry.leader)) === 'leads';
    if (entry.leader !== undefined && !isHeir) return entry.outcome === undefined ? 'put-off' : 'ended';
    if (entry.behind !== undefined && (await this.#isPutOffWith(entry, entry.behind))) return 'put-off';
    return this.#runner.run(entry, 'in-turn', isAlone);
  }

  /** Takes the outcome of the equal record before it, is put off with it, or leads in its stead. */
  async #follow(entry: Entry, leader: Entry): Promise<'followed' | 'put-off' | 'leads'> {
    await leader.whenFinishedOrPutOff();
    if (leader.outcome === undefined) {
      entry.putOff();
      return 'put-off';
    }
    if (leader.outcome.status === 'not-started' && leader.outcome.reason === 'order') {
      // The leader stands behind a failure of its group; that is no reason for another group to wait.
      leader.heir ??= entry;
      return leader.heir === entry ? 'leads' : this.#follow(entry, leader.heir);
    }
    entry.finish(outcomeOfFollower(leader.outcome));
    if (entry.outcome?.status === 'duplicate') {
      const { recordId, key } = entry;
      this.#scope.notify({ type: 'duplicate', recordId, key, within: 'batch' });
    }
    return 'followed';
  }

  /** Waits for the entry before it with the same key and another payload; true: that is put off, and so is this. */
  async #isPutOffWith(entry: Entry, before: Entry): Promise<boolean> {
    await before.whenFinishedOrPutOff();
    if (before.outcome !== undefined) return false;
    entry.putOff();
    return true;
  }

  /** What stands behind a record that is put off asks for its claim again in its turn. */
  async #putOffBehind(entry: Entry): Promise<void> {
    entry.putOff();
    if (entry.outcome !== undefined || entry.leader !== undefined) return;
    if (!(await this.#runner.giveBack(entry))) this.#runner.finishNotStarted(entry, 'lease-lapsed');
  }

  /** Hands back what waits behind a failure, once its claim, if there is one, is given back: an heir may want it. */
  async #handBackBehind(entry: Entry): Promise<void> {
    if (entry.leader === undefined) await this.#runner.giveBack(entry);
    this.#runner.finishNotStarted(entry, 'order');
  }
}

/** An entry that waits for an equal one is as dangerous as that is. */
function deathsOf({ deaths, leader, behind }: Entry): number {
  const before = leader ?? behind;
  return deaths > 0 || before === undefined ? deaths : deathsOf(before);
}

function headIndex({ lane, from }: PutOffLane): number {
  return (lane[from] as Entry).index;
}
