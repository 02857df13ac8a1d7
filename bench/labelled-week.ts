/** A message of a team's channel that nobody addressed to the bot. */
export interface LabelledMessage {
  text: string;
  /** Whether a colleague with general knowledge, web search and tools for documents should offer an answer. */
  offer: boolean;
}

const helpful = [
  "How do I undo the last commit without losing the changes?",
  "Does anyone know which HTTP status means that a resource is gone for good?",
  "What is the difference between a left join and an inner join?",
  "How many working days are there in January 2027 in Berlin?",
  "Can somebody explain what a race condition is, in two sentences?",
  "What does ECONNRESET mean in this log, and who closes the connection there?",
  "Is there a way to count distinct values in a column of a CSV on the command line",
  "How would I say 'please find the invoice attached' politely in French?",
  "Which time is 9:00 in San Francisco for people in Tokyo?",
  "What is the regex for a date like 2026-11-27?",
  "Any ideas how to make this SQL faster? SELECT * FROM orders WHERE lower(email) = 'a@b.c'",
  "How long may a commit subject be before GitHub cuts it?",
  "What is the current LTS of Node, and until when is it supported?",
  "How do I convert a HEIC picture to PNG on Linux?",
  "I wonder whether PostgreSQL can index a JSON field",
  "What is 17.5 % VAT on 1,249.90?",
  "Does anybody know the keyboard shortcut for splitting a pane in tmux?",
  "How do I write a polite reminder for an unpaid invoice?",
  "What are the main changes of HTTP/3 against HTTP/2?",
  "Can anyone tell me how to exclude a folder from a Docker build context?",
];

const human = [
  "Who is coming to lunch at twelve today?",
  "Are you feeling better, or should I take over your shift?",
  "Is the meeting room upstairs still occupied?",
  "Did the customer sign yesterday, or do we wait for legal?",
  "Why does this always happen on a Friday, seriously?",
  "Do we want to keep the old logo or take the new one?",
  "Who broke the build this time? :eyes:",
  "Can somebody let me in, I forgot my badge?",
  "Should I tell the client that we are late?",
  "What do you all think of the new desks?",
  "Does anyone have a phone charger that I can borrow?",
  "Shall we move the retro to Thursday, would that work for everyone?",
  "Who wrote the deploy script, and may I change it?",
  "Isn't it great that the sun is out again?",
  "Do I get a raise if I fix this before the demo? ;)",
  "Is Ben on holiday this week or just at home?",
  "Can someone water the plants while I am away?",
  "Has anybody seen my blue cup?",
  "Are we really going to do the migration by hand?",
  "Would anyone like to swap on-call with me next weekend?",
];

const chatter = [
  "Good morning, everybody!",
  "The deploy is through, all green.",
  "Thanks, that worked.",
  "I pushed the fix, please have a look when you have time.",
  "Lunch?",
  "@ben can you review my change?",
  "Look at https://example.org/search?q=deploy, it is quite good.",
  "lol",
  "/skill list",
  "Out of office this afternoon, back tomorrow.",
  "ok?",
  "The customer likes the draft.",
  "Standup in five minutes.",
  "Ha, I knew it.",
  "I moved the ticket to done.",
  "+1",
  "The type is `string?` since yesterday, no idea who did that.",
  "Happy birthday, Cleo!",
  "We are at 80 % of the budget.",
  "See you on Monday.",
];

/** A made-up week: a third each of questions to offer an answer to, of questions for people, and of messages without one. */
export const labelledWeek: readonly LabelledMessage[] = [
  ...helpful.map((text) => ({ text, offer: true })),
  ...[...human, ...chatter].map((text) => ({ text, offer: false })),
];
