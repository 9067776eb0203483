/** Ends a command with one line for the person, the remedy in it, and exit status 1. */
export class CliError extends Error {
  override readonly name: string = 'CliError';
}

/** The command was not given what it needs: exit status 2. */
export class UsageError extends CliError {
  override readonly name = 'UsageError';
}
