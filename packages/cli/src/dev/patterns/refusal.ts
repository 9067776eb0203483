/** Error with the reason why AWS would refuse a pattern. */
export class Refusal extends Error {}
