import type { DoctorReport, Finding, Severity } from './finding.ts';
import type { LambdaFunction, Mapping, Model, Queue, Resource, Setting, Table } from '../template/model.ts';
import { escapeControls } from '../text/escape-controls.ts';
import type { Rules } from './rules/rule.ts';

/** What is examined. */
export interface Subject extends Model {
  readonly origin: 'template' | 'live';
  /** When it is examined, in epoch milliseconds: runtimes are deprecated on a date. */
  readonly now: number;
  /** Tables that are named as the claims table by whoever asks. */
  readonly claimsTables: ReadonlySet<string>;
}

/** What a check says about one resource. */
export interface Verdict {
  readonly message: string;
  /** The lines to write. */
  readonly fix: string | readonly string[];
  /** Where they belong: to the properties, beside them, or (`none`) to nothing, because they say so themselves. */
  readonly fixBelongsTo?: 'properties' | 'resource' | 'none';
  readonly line?: number | undefined;
  /** Milder than the rule says. */
  readonly severity?: Severity;
}

export interface ExaminationOptions {
  /** Whether optional findings are reported too. Default false. */
  readonly all?: boolean | undefined;
}

/** One run over a model: collects what the checks find, and what they cannot judge. */
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

  /** How the fix names a resource: by its reference in a template, by its name in an account. */
  arnOf({ id }: Resource): string {
    if (this.model.origin === 'template') return `!GetAtt ${id}.Arn`;
    return id.startsWith('arn:') ? id : `the ARN of ${id}`;
  }

  /** Whether a mapping's messages are in order: only FIFO queues have groups that Lambda keeps. */
  isFifo(mapping: Mapping): boolean {
    return this.queue(mapping.source.value)?.isFifo ?? mapping.isFifo;
  }

  checked(what: string, { name }: Resource): void {
    this.#checked.add(`${what} ${name}`);
  }

  /** What is not known is said, and never guessed. */
  cannotJudge(text: string): void {
    this.#skipped.add(text);
  }

  /** The value; undefined, and noted, where it is not known. */
  known<T>(resource: Resource, property: string, setting: Setting<T>): T | undefined {
    if (setting.unknown !== undefined) this.cannotJudge(`${resource.name}, ${property}: ${setting.unknown}`);
    return setting.unknown === undefined ? setting.value : undefined;
  }

  /** Whether something is known not to be set. */
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

  /** What was found, errors first, then in the order of the file. */
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

  /** The lines under the resource that they belong to. */
  #placed({ id }: Resource, lines: readonly string[], to: 'properties' | 'resource' | 'none'): string {
    // A line break in a name would begin a line of its own.
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
