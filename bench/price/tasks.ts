import type { Json } from "../../src/core/values/json.ts";

/**
 * What a model does before it answers: a call of a tool by its frozen name (`current-tools.ts`), or a skill made active where it is not
 * there. `words` find the tools of a server that has many.
 */
export type Step = { activate: string; words?: string } | { tool: string; input: Json };

/** One message of a person, and what a competent model does about it. */
export interface Exchange {
  said: string;
  steps: readonly Step[];
  answer: string;
}

/** A person's task, in a new thread or in the thread of an earlier task. */
export interface Task {
  name: string;
  /** The task whose thread it continues. */
  after?: string;
  exchanges: readonly Exchange[];
}

const complaint =
  "I love the chairs, they look wonderful in our office and the assembly took ten minutes each. But the delivery was terrible: two weeks late, nobody answered the phone, and one box arrived open with a scratched seat. The refund for it came quickly, which I did not expect. I would buy here again if somebody fixed the delivery.";

const draft =
  "You get a new seat this week, and we send it on Tuesday. We are sorry that one box arrived open and that nobody told you about the delay. You do not have to send anything back. Take a photo of the scratch and reply with it, so that we can claim it from the carrier. If the seat has not arrived by Friday, call me and I ask them the same day. I look after your order until it is settled. You reach me at 030 1234567 from nine to five. Kind regards, Maria from the service team.";

const steps: Json = [
  { title: "Agree on the date and the budget with the team leads", done_when: "Both are written down" },
  { title: "Choose between the three venues", depends_on: [1], done_when: "One venue is held for us" },
  { title: "Collect who comes, and what they eat", depends_on: [1], done_when: "Everybody has answered" },
  { title: "Book the venue and the train tickets", depends_on: [2, 3], done_when: "Both are confirmed" },
  { title: "Prepare the two workshops and the evening", depends_on: [3], done_when: "Each has an owner" },
  { title: "Send the programme and the packing list", depends_on: [4, 5], done_when: "It is pinned here" },
];

/**
 * The tasks in their order.
 *
 * @param page address of a page of some 20 kB
 * @param folder the one that the file server serves
 */
export function tasks(page: string, folder: string): readonly Task[] {
  return [
    {
      name: "sentiment",
      exchanges: [
        {
          said: `What is the sentiment of this review? “${complaint}”`,
          steps: [call("text-analyzer", { text: complaint, analysis_type: "sentiment" })],
          answer: prose(110),
        },
      ],
    },
    {
      name: "remember",
      exchanges: [
        {
          said: "Please remember that the deploy of the payments service is on Friday at ten, and that Ada leads it.",
          steps: [
            call("memory_remember", {
              text: "The deploy of the payments service is on Fridays at ten o'clock, and Ada leads it.",
            }),
          ],
          answer: prose(60),
        },
      ],
    },
    {
      name: "recall",
      exchanges: [
        {
          said: "Who leads the deploy of the payments service, and when is it?",
          steps: [call("memory_recall", { query: "deploy payments service" })],
          answer: prose(60),
        },
      ],
    },
    {
      name: "page",
      exchanges: [
        {
          said: `Read ${page} for me: what does the plan for teams cost, and how long are backups kept?`,
          steps: [
            call("web-scraping", { url: page }),
            call("web-scraping", { url: page, search: "backup|backups" }),
          ],
          answer: prose(180),
        },
      ],
    },
    {
      name: "plan",
      exchanges: [
        {
          said: "Plan our team retreat in March for twelve people: two days, by train, workshops and one evening out.",
          steps: [
            call("task-planning", {
              task_description:
                "Team retreat in March: twelve people, two days, by train, workshops, one evening",
              steps,
            }),
          ],
          answer: prose(400),
        },
      ],
    },
    {
      name: "two skills",
      exchanges: [
        {
          said: `Draft our reply to this customer in the house style, and tell me how hard it is to read. “${complaint}”`,
          steps: [
            { activate: "house-style" },
            call("text-analyzer", { text: draft, analysis_type: "readability" }),
          ],
          answer: prose(250),
        },
      ],
    },
    {
      name: "server",
      exchanges: [
        {
          said: "What do the release notes in release.md on the file server say about the new importer?",
          steps: [
            { activate: "mcp_filesystem", words: "read text file" },
            call("filesystem__read_text_file", { path: `${folder}/release.md` }),
          ],
          answer: prose(150),
        },
      ],
    },
    {
      name: "follow-up",
      after: "server",
      exchanges: [
        {
          said: "And who of team.md has to test it before Thursday?",
          steps: [call("filesystem__read_text_file", { path: `${folder}/team.md` })],
          answer: prose(90),
        },
      ],
    },
  ];
}

/** A step of one call. */
export function call(tool: string, input: Json): Step {
  return { tool, input };
}

const subjects = ["The review", "Your team", "The new importer", "The deploy", "This plan", "Each customer"];
const verbs = ["mentions", "needs", "keeps", "shows", "names", "answers"];
const objects = [
  "what was agreed on last week",
  "two things that are still open",
  "a date which nobody has confirmed yet",
  "the numbers of the last quarter in one table",
  "who looks after it while the others are away",
];

/** An answer of about so many tokens. No two of its sentences are alike. */
export function prose(tokens: number): string {
  // A sentence has some twelve tokens.
  const sentences = Array.from({ length: Math.round(tokens / 12) }, (_, at) => {
    const [subject, verb] = [subjects[at % subjects.length], verbs[Math.floor(at / 2) % verbs.length]];
    return `${subject} ${verb} ${objects[at % objects.length]} (${at + 1}).`;
  });
  return sentences.join(" ");
}
