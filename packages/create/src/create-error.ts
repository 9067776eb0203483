/** An error that ends the command with a message, which names the remedy, and this exit status. */
export class CreateError extends Error {
  override readonly name = 'CreateError';
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

/** The folder cannot be used: exit status 1. */
export const refused = (message: string): CreateError => new CreateError(message, 1);

/** An argument is missing or invalid: exit status 2. */
export const wrongUsage = (message: string): CreateError => new CreateError(message, 2);

/** The user pressed Ctrl-C: exit status 130. */
export const stopped = (): CreateError => new CreateError('Stopped. Nothing was written.', 130);
