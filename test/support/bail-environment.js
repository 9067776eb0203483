import { TestEnvironment } from 'jest-environment-node';

/** Skips what is left of a file once a test of it has failed, for mutation testing: the mutant is noticed by then. */
export default class BailEnvironment extends TestEnvironment {
  #failed = false;

  handleTestEvent({ name, test }) {
    if (name === 'test_done' && test.errors.length > 0) this.#failed = true;
    else if (name === 'test_start' && this.#failed) test.mode = 'skip';
  }
}
