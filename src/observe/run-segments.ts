import type { BatchEvent, ObservedAttempt } from './observer.ts';
import type { ObservedInvocation } from './observed.ts';
import { shownError } from './json-lines.ts';

/** The members used of a `Tracer` of `@aws-lambda-powertools/tracer`. */
export interface PowertoolsTracer {
  /** Returns false outside Lambda, and if the environment disables tracing. */
  isTracingEnabled(): boolean;
  /** Returns the current segment or subsegment. */
  getSegment(): TracerSegment | undefined;
  /**
   * Makes a segment current in this asynchronous context.
   *
   * @param segment The segment or subsegment.
   */
  setSegment(segment: TracerSegment): void;
  /** Access to the X-Ray SDK. */
  readonly provider: {
    /** Returns X-Ray's namespace of asynchronous contexts. */
    getNamespace(): {
      /**
       * Calls `work` in a new asynchronous context.
       *
       * @param work The function to call.
       */
      run(work: () => void): unknown;
    };
  };
}

/** The members used of an X-Ray segment or subsegment. */
export interface TracerSegment {
  /**
   * Begins a subsegment.
   *
   * @param name The name, at most 200 characters.
   */
  addNewSubsegment(name: string): TracerSegment;
  /**
   * Adds an annotation, by which traces can be searched.
   *
   * @param key The name.
   * @param value The value.
   */
  addAnnotation(key: string, value: string | number | boolean): void;
  /**
   * Adds metadata, which is shown but not searchable.
   *
   * @param key The name.
   * @param value The value.
   * @param namespace The group that it is shown in. Default: X-Ray's own `default`.
   */
  addMetadata(key: string, value: unknown, namespace?: string): void;
  /**
   * Sets a field of a subsegment's document, such as `namespace`.
   *
   * @param name The name of the field.
   * @param value The new value.
   */
  addAttribute?(name: string, value: unknown): void;
  /** The segment's ID in its trace. */
  readonly id?: string;
  /** The trace ID, on a segment. */
  readonly trace_id?: string;
  /** The segment that contains it, on a subsegment. */
  readonly segment?: TracerSegment;
  /** Whether the trace is not recorded. */
  readonly notTraced?: boolean;
  /** Marks the segment as failed. */
  addFaultFlag(): void;
  /** Ends the segment. */
  close(): void;
}

/** The X-Ray subsegments of handler calls, each open until its handler ends or is abandoned. */
export class RunSegments {
  readonly #tracer: PowertoolsTracer;
  /** Subsegments by owner. Weak, so that an invocation that never finishes is collected. */
  readonly #open = new WeakMap<ObservedInvocation, Map<string, TracerSegment>>();
  /** How many records of its call have not ended. */
  readonly #running = new WeakMap<TracerSegment, number>();

  constructor(tracer: PowertoolsTracer) {
    this.#tracer = tracer;
  }

  /** Calls `run` with a new subsegment as the current one. */
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
    this.#running.set(segment, (this.#running.get(segment) ?? 1) - 1);
    if (event.type !== 'succeeded') {
      segment.addFaultFlag();
      segment.addMetadata('error', shownError(event.error, event.key), 'batchlatch');
    }
    // The records of one call end together.
    if (this.#running.get(segment) === 0) segment.close();
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
    this.#running.set(segment, attempts.length);
    return segment;
  }
}

/** X-Ray's limit. */
const LONGEST_NAME = 200;
