import type { BatchEvent, ObservedAttempt } from './observer.ts';
import type { ObservedInvocation } from './observed.ts';
import { shownError } from './json-lines.ts';

/** What is used of a `Tracer` of `@aws-lambda-powertools/tracer`. */
export interface PowertoolsTracer {
  /** False outside Lambda, and where the environment turns it off. */
  isTracingEnabled(): boolean;
  /** The current segment or subsegment. */
  getSegment(): TracerSegment | undefined;
  /**
   * Makes it the current one in this asynchronous context.
   *
   * @param segment The segment or subsegment.
   */
  setSegment(segment: TracerSegment): void;
  /** Its way to X-Ray's SDK; `run` gives `work` an asynchronous context of its own. */
  readonly provider: {
    /** X-Ray's namespace of asynchronous contexts. */
    getNamespace(): {
      /**
       * Calls `work` in a context of its own.
       *
       * @param work What is called.
       */
      run(work: () => void): unknown;
    };
  };
}

/** What is used of a segment or subsegment of X-Ray. */
export interface TracerSegment {
  /**
   * Begins a subsegment.
   *
   * @param name Its name, of at most 200 characters.
   */
  addNewSubsegment(name: string): TracerSegment;
  /**
   * Adds what traces can be found by.
   *
   * @param key Its name.
   * @param value Its value.
   */
  addAnnotation(key: string, value: string | number | boolean): void;
  /**
   * Adds what is only shown.
   *
   * @param key Its name.
   * @param value Its value.
   * @param namespace What it is listed under. Default: X-Ray's own `default`.
   */
  addMetadata(key: string, value: unknown, namespace?: string): void;
  /**
   * Sets a part of its document, such as `namespace`. Subsegments have it.
   *
   * @param name The part's name.
   * @param value What it is set to.
   */
  addAttribute?(name: string, value: unknown): void;
  /** Identifies it in its trace. */
  readonly id?: string;
  /** Of a segment: identifies the trace. */
  readonly trace_id?: string;
  /** Of a subsegment: the segment that it is in. */
  readonly segment?: TracerSegment;
  /** Whether the trace is not recorded. */
  readonly notTraced?: boolean;
  /** Says that it failed. */
  addFaultFlag(): void;
  /** Ends it. */
  close(): void;
}

/** A subsegment of X-Ray for each call of a handler, until the handler has ended or is not awaited any more. */
export class RunSegments {
  readonly #tracer: PowertoolsTracer;
  /** Of each invocation by the attempts' owners. Weak: one that never finishes must not stay. */
  readonly #open = new WeakMap<ObservedInvocation, Map<string, TracerSegment>>();

  constructor(tracer: PowertoolsTracer) {
    this.#tracer = tracer;
  }

  /** Calls `run` with a subsegment of its own as the current one. */
  around(attempts: readonly ObservedAttempt[], invocation: ObservedInvocation, run: () => void): void {
    const parent = this.#tracer.isTracingEnabled() ? this.#tracer.getSegment() : undefined;
    if (parent === undefined) return run();
    const segment = this.#begin(parent, attempts, invocation);
    this.#tracer.provider.getNamespace().run(() => {
      this.#tracer.setSegment(segment);
      run();
    });
  }

  note(event: BatchEvent, invocation: ObservedInvocation | undefined): void {
    if (event.type !== 'succeeded' && event.type !== 'failed' && event.type !== 'abandoned') return;
    const open = invocation && this.#open.get(invocation);
    const segment = open?.get(event.owner);
    if (open === undefined || segment === undefined) return;
    open.delete(event.owner);
    if (event.type !== 'succeeded') {
      segment.addFaultFlag();
      segment.addMetadata('error', shownError(event.error, event.key), 'batchlatch');
    }
    // The records of one call end together.
    if (![...open.values()].includes(segment)) segment.close();
  }

  #begin(
    parent: TracerSegment,
    attempts: readonly ObservedAttempt[],
    invocation: ObservedInvocation,
  ): TracerSegment {
    const [first] = attempts;
    const name = `process ${invocation.destination ?? invocation.source}`;
    const segment = parent.addNewSubsegment(name.slice(0, LONGEST_NAME));
    if (first !== undefined && attempts.length === 1) {
      segment.addAnnotation('recordId', first.recordId);
      segment.addAnnotation('attempt', first.attempt);
    } else segment.addAnnotation('records', attempts.length);
    const open = this.#open.get(invocation) ?? new Map<string, TracerSegment>();
    this.#open.set(invocation, open);
    for (const { owner } of attempts) open.set(owner, segment);
    return segment;
  }
}

/** X-Ray refuses longer names. */
const LONGEST_NAME = 200;
