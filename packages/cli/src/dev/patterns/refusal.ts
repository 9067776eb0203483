/** Why AWS would refuse a pattern; caught where a pattern is compiled. */
export class Refusal extends Error {}
