import type { DoctorReport, Finding, Severity } from './finding.ts';
import type { LambdaFunction, Mapping, Model, Queue, Resource, Setting, Table } from '../template/model.ts';
import { escapeControls } from '../text/escape-controls.ts';
import type { Rules } from './rules/rule.ts';

/** The model to examine. */
export interface Subject extends Model {
  readonly origin: 'template' | 'live';
  /** The time of the examination, in epoch milliseconds: a runtime is deprecated from a date on. */
  readonly now: number;
  /** The tables that the caller named as claims tables. */
  readonly claimsTables: ReadonlySet<string>;
  /** Whether the caller said that their rows have Powertools' attributes. */
  readonly isPowertools?: boolean;
  /** The message groups that deployed functions receive from standard queues, by the function's id. */
  readonly groups?: ReadonlyMap<string, Setting<GroupCounts>>;
}

/** How many message groups the last messages with a group had that one process received. */
export interface GroupCounts {
  readonly messages: number;
  readonly distinct: number;
}

/** The result of a check for one resource. */
export interface Verdict {
  readonly message: string;
  readonly fix: string | readonly string[];
  /** Where the lines belong: in the properties, beside them, or (`none`) where the lines themselves say. */
  readonly fixBelongsTo?: 'properties' | 'resource' | 'none';
  readonly line?: number | undefined;
  /** A milder severity than the rule's. */
  readonly severity?: Severity;
}

export interface ExaminationOptions {
  /** Whether to report optional findings too. Default: false. */
  readonly all?: boolean | undefined;
}

/** A run of all checks over a model: collects findings, and what cannot be judged. */
export class Examination {
  readonly model: Subject;
  readonly #rules: Rules;
  readonly #all: boolean;
  readonly #findings: Finding[] = [];
  readonly #checked = new Set<string>();
  readonly #skipped = new Set<string>();

  constructor(model: Subject, rules: Rules, { all = false }: ExaminationOptions = {}) {
    this.model = model;
    this.#rules = rules;
    this.#all = all;
  }

  queue(id: string | undefined): Queue | undefined {
    return this.model.queues.find((queue) => queue.id === id);
  }

  table(id: string | undefined): Table | undefined {
    return this.model.tables.find((table) => table.id === id);
  }

  functionOf({ functionId }: { readonly functionId: string | undefined }): LambdaFunction | undefined {
    return this.model.functions.find(({ id }) => id === functionId);
  }

  /** Returns a resource's ARN for a fix: a reference in a template, the name in an account. */
  arnOf({ id }: Resource): string {
    if (this.model.origin === 'template') return `!GetAtt ${id}.Arn`;
    return id.startsWith('arn:') ? id : `the ARN of ${id}`;
  }

  /**
   * Returns whether messages come in order; undefined if that is unknown. Lambda keeps the order of groups in
   * FIFO queues only.
   */
  isFifo(mapping: Mapping): boolean | undefined {
    const queue = this.queue(mapping.source.value);
    return queue === undefined ? mapping.isFifo : this.known(queue, 'FifoQueue', queue.isFifo);
  }

  checked(what: string, { name }: Resource): void {
    this.#checked.add(`${what} ${name}`);
  }

  /** Notes what is unknown; checks never guess. */
  cannotJudge(text: string): void {
    this.#skipped.add(text);
  }

  /** Returns the value of a setting. If it is unknown, notes that and returns undefined. */
  known<T>(resource: Resource, property: string, setting: Setting<T>): T | undefined {
    if (setting.unknown !== undefined) this.cannotJudge(`${resource.name}, ${property}: ${setting.unknown}`);
    return setting.unknown === undefined ? setting.value : undefined;
  }

  /** Returns whether a setting is known to be absent. */
  lacks(resource: Resource, property: string, setting: Setting<unknown>): boolean {
    return this.known(resource, property, setting) === undefined && setting.unknown === undefined;
  }

  report(
    code: string,
    resource: Resource,
    { message, fix, line, severity, fixBelongsTo = 'properties' }: Verdict,
  ): void {
    const rule = this.#rules[code];
    if (rule === undefined) throw new TypeError(`Expected a code of RULES, got ${code}`);
    if (rule.isOptional === true && !this.#all) return;
    if (resource.ignore.has(code)) {
      this.cannotJudge(`${resource.name}: \`${code}\` is ignored, as its metadata say`);
      return;
    }
    const isKnown = this.#findings.some(
      (one) => one.code === code && one.resource === resource.id && one.message === message,
    );
    if (isKnown) return; // of a queue that two mappings poll for one function
    const where = line ?? resource.line;
    this.#findings.push({
      code,
      severity: severity ?? rule.severity,
      message,
      why: rule.why,
      fix: this.#placed(resource, [fix].flat(), fixBelongsTo),
      ...(where !== undefined && { line: where }),
      resource: resource.id,
      ...(rule.docs !== undefined && { docs: `docs/${rule.docs}` }),
    });
  }

  /** Returns the findings: errors first, then in the order of the file. */
  result(skipped: readonly string[] = []): DoctorReport {
    const order: readonly Severity[] = ['error', 'warning', 'info'];
    return {
      findings: this.#findings.toSorted(
        (one, other) =>
          order.indexOf(one.severity) - order.indexOf(other.severity) || (one.line ?? 0) - (other.line ?? 0),
      ),
      checked: [...this.#checked],
      skipped: [...new Set([...skipped, ...this.#skipped])],
    };
  }

  /** Puts the lines under the path of the resource that they belong to. */
  #placed({ id }: Resource, lines: readonly string[], to: 'properties' | 'resource' | 'none'): string {
    // A line break in a name would start a new line of YAML.
    const shown = lines.map(escapeControls);
    if (this.model.origin === 'live' || to === 'none') return shown.join('\n');
    const [resource = '', event] = id.split('.');
    const properties = [
      resource,
      'Properties',
      ...(event === undefined ? [] : ['Events', event, 'Properties']),
    ];
    const path = to === 'resource' ? [resource] : properties;
    return [
      ...path.map((step, depth) => `${'  '.repeat(depth)}${escapeControls(step)}:`),
      ...shown.map((line) => `${'  '.repeat(path.length)}${line}`),
    ].join('\n');
  }
}
