/** Ends the command with one line for the person, the remedy in it, and this exit status. */
export class CreateError extends Error {
  override readonly name = 'CreateError';
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

/** Something was refused: exit status 1. */
export const refused = (message: string): CreateError => new CreateError(message, 1);

/** The command was not given what it needs: exit status 2. */
export const wrongUsage = (message: string): CreateError => new CreateError(message, 2);

/** The person stopped it: exit status 130. */
export const stopped = (): CreateError => new CreateError('Stopped. Nothing was written.', 130);
