/** Error that ends a command with its message on one line, which names the remedy, and exit status 1. */
export class CliError extends Error {
  override readonly name: string = 'CliError';
}

/** Error for missing or wrong arguments: exit status 2. */
export class UsageError extends CliError {
  override readonly name = 'UsageError';
}
