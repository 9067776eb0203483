export { jmesPath } from './jmes-path.ts';
