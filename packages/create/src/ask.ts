import { isCancel, select, text } from '@clack/prompts';
import { type Answers, DEFAULTS, DEPLOYMENTS, STORES } from './answers.ts';
import { CreateError, stopped } from './create-error.ts';
import type { Io } from './io.ts';

/** Asks for each missing answer. `check` throws for an invalid folder. Throws a `CreateError` on Ctrl-C. */
export async function ask(
  given: Partial<Answers>,
  check: (folder: string) => void,
  { stdin, stdout }: Io,
): Promise<Answers> {
  const on = { input: stdin, output: stdout };
  const folder =
    given.folder ??
    answered(
      await text({
        ...on,
        message: 'Which folder?',
        placeholder: DEFAULTS.folder,
        defaultValue: DEFAULTS.folder,
        validate: (value) =>
          whyNot(() => check(value === undefined || value === '' ? DEFAULTS.folder : value)),
      }),
    );
  check(folder);
  const deploy =
    given.deploy ??
    answered(await select({ ...on, message: 'How is it deployed?', options: choices(DEPLOYMENTS) }));
  const store =
    given.store ??
    answered(await select({ ...on, message: 'Where are claims kept?', options: choices(STORES) }));
  return { folder, deploy, store };
}

function answered<T>(answer: T): Exclude<T, symbol> {
  if (isCancel(answer)) throw stopped();
  return answer as Exclude<T, symbol>;
}

function choices<Name extends string>(
  names: Readonly<Record<Name, string>>,
): { value: Name; label: string }[] {
  return Object.entries<string>(names).map(([value, label]) => ({ value: value as Name, label }));
}

function whyNot(check: () => void): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof CreateError) return error.message;
    throw error;
  }
}
