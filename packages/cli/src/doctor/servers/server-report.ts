import type { DoctorReport, Finding, Severity } from '../finding.ts';
import { RULES } from '../rules/all-rules.ts';

/** What is said of a server. */
interface Verdict {
  readonly message: string;
  /** Default: the rule's. */
  readonly fix?: string;
  /** Milder than the rule says. */
  readonly severity?: Severity;
}

/** Collects what is found on a server. */
export class ServerReport {
  readonly #resource: string;
  readonly #findings: Finding[] = [];
  readonly #skipped: string[] = [];

  /** `resource`: how it is named, without what a URL may hold besides. */
  constructor(resource: string) {
    this.#resource = resource;
  }

  report(code: string, { message, fix, severity }: Verdict): void {
    const rule = RULES[code];
    if (rule === undefined) throw new TypeError(`Expected a code of RULES, got ${code}`);
    this.#findings.push({
      code,
      severity: severity ?? rule.severity,
      message,
      why: rule.why,
      fix: fix ?? rule.fix,
      resource: this.#resource,
      ...(rule.docs !== undefined && { docs: `docs/${rule.docs}` }),
    });
  }

  cannotJudge(text: string): void {
    this.#skipped.push(text);
  }

  result(checked: readonly string[]): DoctorReport {
    const order: readonly Severity[] = ['error', 'warning', 'info'];
    return {
      findings: this.#findings.toSorted(
        (one, other) => order.indexOf(one.severity) - order.indexOf(other.severity),
      ),
      checked,
      skipped: this.#skipped,
    };
  }
}
