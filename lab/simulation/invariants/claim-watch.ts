import type { SimProcess } from '../virtual-world/sim-process.ts';
import type { World } from '../virtual-world/world.ts';
import type { AttemptRegistry } from './attempt-facts.ts';
import { ClaimJudge } from './claim-judge.ts';
import { type ClaimRow, isSameRow, showRow } from './claim-row.ts';
import { DeathJudge } from './death-judge.ts';

/** A state that a row was in, from one step of the simulation up to the next state's. */
interface RowVersion {
  readonly sinceStep: number;
  readonly row: ClaimRow | undefined;
}

/** Sees every change of a stored row, has it judged, and keeps the rows' history. */
export class ClaimWatch {
  readonly #world: World;
  readonly #attempts: AttemptRegistry;
  readonly #history = new Map<string, RowVersion[]>();
  /** The last completion of each key: until when, in true time, it must be remembered. */
  readonly #rememberedUntil = new Map<string, number>();
  /** The last parking of each key: until when, in true time, it must be remembered. */
  readonly #parkedUntil = new Map<string, number>();
  readonly #judge: ClaimJudge;
  readonly #deaths: DeathJudge;
  readonly #lives = new Map<string, number>();
  #lifeCount = 0;

  constructor(world: World, attempts: AttemptRegistry) {
    this.#world = world;
    this.#attempts = attempts;
    this.#judge = new ClaimJudge(world, attempts);
    this.#deaths = new DeathJudge(world, attempts);
  }

  current(key: string): ClaimRow | undefined {
    return this.#history.get(key)?.at(-1)?.row;
  }

  /** Whether the key has ever been completed: by work with this payload, where there is one. */
  wasCompleted(key: string, payload?: string): boolean {
    if (payload === undefined) return this.#rememberedUntil.has(key);
    return this.#wasOnce(key, ({ status, payloadHash }) => status === 'COMPLETED' && payloadHash === payload);
  }

  /** Whether the key has ever been claimed for something else. */
  wasForeign(key: string, payload: string | undefined): boolean {
    return this.#wasOnce(key, ({ payloadHash }) => payloadHash !== payload);
  }

  /** Whether the key has ever been parked. */
  wasParked(key: string): boolean {
    return this.#wasOnce(key, ({ status }) => status === 'PARKED');
  }

  /** Whether the end of this attempt has ever been stored. */
  wasSettledBy(key: string, owner: string): boolean {
    return this.#wasOnce(key, (row) => row.owner === owner && row.status !== 'IN_PROGRESS');
  }

  /** Whether the key is completed and its retention is not over. */
  isRemembered(key: string): boolean {
    return this.#world.now < (this.#rememberedUntil.get(key) ?? -Infinity);
  }

  /** Whether the key is parked, and its retention, where it has one, is not over. */
  isParked(key: string): boolean {
    return this.#world.now < (this.#parkedUntil.get(key) ?? -Infinity);
  }

  /** Which life of its row an attempt belongs to: a row that is forgotten begins anew. */
  lifeOf(owner: string): number | undefined {
    return this.#lives.get(owner);
  }

  /** Whether the row is absent, or of another life than this attempt's. */
  isForgottenSince(key: string, owner: string): boolean {
    const row = this.current(key);
    return row === undefined || this.#lives.get(row.owner) !== this.#lives.get(owner);
  }

  /** The states a row was in between a step and now. */
  statesSince(key: string, step: number): (ClaimRow | undefined)[] {
    const versions = this.#history.get(key) ?? [{ sinceStep: 0, row: undefined }];
    const next = versions.findIndex(({ sinceStep }) => sinceStep > step);
    const from = next === -1 ? versions.length - 1 : Math.max(0, next - 1);
    return versions.slice(from).map(({ row }) => row);
  }

  /** The store holds this row now; `by` is the process whose request has just been done. */
  rowIs(key: string, row: ClaimRow | undefined, by: SimProcess): void {
    const before = this.current(key);
    if (isSameRow(before, row)) return;
    this.#remember(key, row);
    this.#world.log('store', () => `${key}: ${showRow(before)} ⇒ ${showRow(row)}, by ${by.name}`);
    if (row !== undefined) this.#note(key, before, row);
    this.#judge.judge(key, before, row, by);
    if (row?.status === 'PARKED') this.#judgeParking(key, row);
  }

  /** The store forgot a row whose retention is over. */
  rowExpired(key: string): void {
    this.#world.log('store', () => `${key}: forgotten`);
    this.#remember(key, undefined);
  }

  #judgeParking(key: string, { owner }: ClaimRow): void {
    const parking = this.#attempts.get(owner)?.settlements.find(({ what }) => what.end === 'park')?.what;
    if (parking?.end !== 'park') return;
    const rows = (this.#history.get(key) ?? []).map(({ row }) => row);
    const life = this.lifeOf(owner);
    const ofThisLife = rows.filter((row) => row !== undefined && this.lifeOf(row.owner) === life);
    this.#deaths.judge(key, ofThisLife, parking);
  }

  #wasOnce(key: string, isSuch: (row: ClaimRow) => boolean): boolean {
    return this.#history.get(key)?.some(({ row }) => row !== undefined && isSuch(row)) === true;
  }

  #note(key: string, before: ClaimRow | undefined, { owner, attempt, status, expiresAt }: ClaimRow): void {
    // A request may be sent again after the retention of the row that its first sending wrote.
    const isBegunAnew = attempt === 1 && before !== undefined && before.attempt > 1;
    if (!this.#lives.has(owner) || isBegunAnew) {
      const life = before !== undefined && attempt > 1 ? this.#lives.get(before.owner) : undefined;
      this.#lives.set(owner, life ?? (this.#lifeCount += 1));
    }
    const offsetMs = this.#attempts.get(owner)?.process.offsetMs ?? 0;
    const until = (expiresAt ?? Infinity) - offsetMs;
    if (status === 'COMPLETED') this.#rememberedUntil.set(key, until);
    if (status === 'PARKED') this.#parkedUntil.set(key, until);
  }

  #remember(key: string, row: ClaimRow | undefined): void {
    const versions = this.#history.get(key);
    const version = { sinceStep: this.#world.scheduler.steps, row };
    if (versions === undefined) this.#history.set(key, [{ sinceStep: 0, row: undefined }, version]);
    else versions.push(version);
  }
}
