/** A usual order of steps for one kind of undertaking. */
interface Pattern {
  /** What the plan is made for, as the note under it names it. */
  kind: string;
  /** Tells from the task that it is of this kind. */
  words: RegExp;
  /** In working order, each with its importance: a shorter plan keeps those of the smallest numbers. */
  steps: readonly (readonly [title: string, importance: number])[];
}

const patterns: readonly Pattern[] = [
  {
    kind: "a release",
    words: /\b(?:release|launch|relaunch|roll-?out|deploy(?:ment)?|go-?live|migration|ship)\b/i,
    steps: [
      ["Agree what is in and what is not, and fix the date", 1],
      ["Name who does what, and who decides whether it goes out", 6],
      ["Finish the open work and freeze changes", 2],
      ["Test it as users will use it, and correct what fails", 3],
      ["Prepare the notes, the announcement and the way back", 5],
      ["Publish it", 4],
      ["Watch errors and feedback, and decide whether it stays", 5],
      ["Write down what to do better next time", 7],
    ],
  },
  {
    kind: "a trip",
    words: /\b(?:holidays?|vacation|trip|travel|journey|urlaub|reise)\b/i,
    steps: [
      ["Settle dates, budget and who comes along", 1],
      ["Choose the places and how long to stay in each", 2],
      ["Check documents, insurance and what has to be booked early", 5],
      ["Book travel and places to stay", 3],
      ["List what to see, with one thing fixed a day at most", 4],
      ["Arrange what runs on at home", 7],
      ["Pack, and check in", 6],
    ],
  },
  {
    kind: "an event",
    words: /\b(?:party|event|meeting|workshop|conference|offsite|wedding|birthday|meetup|feier)\b/i,
    steps: [
      ["Settle the purpose, the date and the budget", 1],
      ["Write the list of guests and invite them", 2],
      ["Book the place and what it needs", 3],
      ["Plan the course of the day", 5],
      ["Order food, drinks and material", 4],
      ["Confirm numbers and tasks the day before", 6],
      ["Hold it, tidy up and thank people", 7],
    ],
  },
  {
    kind: "learning something",
    words: /\b(?:learn|learning|study|studying|exam|course|lernen)\b/i,
    steps: [
      ["Write down what you want to be able to do, and by when", 1],
      ["Choose one main course or book", 2],
      ["Fix the days and times of practice", 3],
      ["Work through the basics", 5],
      ["Use it for something real every week", 4],
      ["Test yourself halfway, and repeat what is weak", 6],
      ["Do what you set out to do, and choose the next goal", 7],
    ],
  },
];

const anything: Pattern = {
  kind: "any task",
  words: /(?:)/,
  steps: [
    ["Write down the goal, and how to tell that it is reached", 1],
    ["Collect what is known, what is missing and who is needed", 4],
    ["Split the work into parts, each with an owner and a date", 2],
    ["Begin with the riskiest part", 5],
    ["Work through the other parts", 3],
    ["Check the result against the goal, and correct it", 4],
    ["Hand it over, and write down what was learnt", 6],
  ],
};

/** The usual steps for a task of which only the goal is told: at most `maxSteps`, the most important ones. */
export function usualSteps(task: string, maxSteps: number): { kind: string; titles: string[] } {
  const { kind, steps } = patterns.find(({ words }) => words.test(task)) ?? anything;
  const kept = new Set(steps.toSorted(([, a], [, b]) => a - b).slice(0, maxSteps));
  return { kind, titles: steps.filter((step) => kept.has(step)).map(([title]) => title) };
}
