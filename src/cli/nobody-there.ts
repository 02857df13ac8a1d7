/**
 * What the agent hears when it asks a question and nobody can answer: a script runs `ask`, and the bot ends with this process.
 * A bot that runs elsewhere keeps the question open for the console instead.
 */
export const nobodyThere =
  "Nobody is here to answer; this runs from a script. Decide yourself, and say in the answer what you assumed.";
