import type { DoctorReport, Finding, Severity } from '../finding.ts';
import { RULES } from '../rules/all-rules.ts';

/** The result of a check. */
interface Verdict {
  readonly message: string;
  /** Default: the rule's fix. */
  readonly fix?: string;
  /** A milder severity than the rule's. */
  readonly severity?: Severity;
}

/** The findings about one server. */
export class ServerReport {
  readonly #resource: string;
  readonly #findings: Finding[] = [];
  readonly #skipped: string[] = [];

  /** `resource`: the server's name in findings; no URL, which may hold a password. */
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
