/** Why something is not drawn, in words for a model. */
export class ChartProblem extends Error {}
