import type { ModelRequest } from "../../src/core/ports/model.ts";
import type { Skill } from "../../src/core/skill/skill.ts";
import type { Message } from "../../src/core/values/message.ts";
import type { Profile } from "../../src/core/values/profile.ts";
import { type RecordingModel, recordingModel } from "../support/models/recording-model.ts";
import { type Line, scriptedModel } from "../support/models/scripted-model.ts";
import { type TestTool, testSkill } from "../support/skills/test-skill.ts";
import type { Life } from "./life.ts";

/** What is said to the bot: the message of the turn, one more while it works, and one when it has answered. */
export const said = { first: "Prepare the fair.", more: "Bring apples too.", after: "And tomorrow?" };

/** Three messages, shown in part while it is said: the model pauses at each “one”. */
const long = ["First", "Then one", "And one more"]
  .map((which) => `${which} ${"of the stalls stands between gate and river and has a number, ".repeat(4)}`)
  .join("\n\n");

/** Calls of the turn, round by round, by their ids. */
const rounds = [["look", "put"], ["handoff"], ["send", "report"], ["book"], ["visit"], ["fire"]] as const;

export const profiles: readonly [Profile, ...Profile[]] = [
  { id: "chat", description: "Chats.", prompt: "" },
  { id: "writer", description: "Writes.", prompt: "You write." },
];

/** The host that the code of the skill `outside` asks for. */
export const grantedHost = "stalls.example.com";

/** Ids of the calls that have them; one is made by the sub-run of another call, one by a sub-run in the background. */
export const sideEffects = ["handoff/stamp", "send", "book", "visit", "fire", "direct/seal"] as const;

/** What the last turn has done in the background. */
const task = "Seal the letter.";

/**
 * A model that works through the rounds and then answers at length. It keeps no state: what calls came to it hands on in the
 * arguments of the next ones, since the transcript is another one before the last round: `book` is said to have filled the first.
 */
export function turnModel(): RecordingModel {
  const lines = scriptedModel(nextLine);
  return recordingModel({
    ...lines,
    async *stream(request) {
      for await (const event of lines.stream(request)) {
        const fills = event.type === "finished" && event.message.tool_calls.some(({ id }) => id === "book");
        yield fills ? { ...event, usage: { input_tokens: 30_000, output_tokens: 5 } } : event;
      }
    },
  });
}

function nextLine({ system, messages }: ModelRequest): Line {
  if (system.startsWith("Summarise")) return "The fair is being prepared.";
  if (system.includes("You write.")) return lineOfWriter(messages);
  // What was done in the background may be told in between.
  const isSaid = ({ role, text }: Message) => role === "user" && !text.includes("<background_result");
  if (messages.findLast(isSaid)?.text.includes(said.after))
    return outcomesOf(messages, ["later"]).length > 0
      ? "The same tomorrow."
      : [{ id: "later", call: "handoff", with: { to: "writer", reason: task, background: true } }];
  const last = messages.findLast((message) => message.role === "assistant");
  const calls = last?.role === "assistant" ? last.tool_calls : [];
  const done = rounds.findIndex((ids) => ids.some((id) => calls[0]?.id === id));
  const soFar = [
    ...textsIn(calls[0]?.arguments),
    ...outcomesOf(
      messages,
      calls.map(({ id }) => id),
    ),
  ];
  const next = rounds[done + 1];
  if (next === undefined) return `All is ready: ${soFar.join(", ")}.\n\n${long}`;
  return next.map((id) => ({
    id,
    call: id,
    with:
      id === "handoff" ? { to: "writer", reason: soFar.join(";") || "Write." } : { text: soFar.join(";") },
  }));
}

/** The agent that the turn asks stamps a letter, and seals it in the background. */
function lineOfWriter(messages: readonly Message[]): Line {
  const [run, call] = messages[0]?.text.includes(task) ? ["direct", "seal"] : ["handoff", "stamp"];
  const [outcome] = outcomesOf(messages, [call]);
  return outcome === undefined ? [{ id: call, call, with: {} }] : `${run}/${outcome}`;
}

function textsIn(args = "{}"): string[] {
  const { text, reason } = JSON.parse(args) as { text?: string; reason?: string };
  return (text ?? reason ?? "").split(";").filter(Boolean);
}

function outcomesOf(messages: readonly Message[], ids: readonly string[]): string[] {
  return messages.flatMap((message) => {
    if (message.role !== "tool" || !ids.includes(message.call_id)) return [];
    const word = message.text.includes("outcome_unknown")
      ? "unknown"
      : (message.text.match(/\w+/)?.[0] ?? "");
    return message.call_id === "handoff" ? message.text : `${message.call_id} ${word}`;
  });
}

/** The skills that the turn works with. Everything their code does is counted in `done`, in any life. */
export function turnSkills(life: Life, done: string[]): { fair: Skill; outside: Skill } {
  const act = async (what: string) => {
    await life.act(`effect ${what}`, () => void done.push(what));
  };
  const fair = testSkill("fair", [...readingTools(act), ...actingTools(act)], { active: true });
  // It goes on without a decision of its own: somebody grants the host elsewhere while it waits.
  const visit: TestTool = {
    name: "visit",
    effect: "side_effect",
    run: async (_input, context) => {
      await context.network.request([grantedHost]);
      await act("visit");
      return "visited";
    },
  };
  return { fair, outside: testSkill("outside", [visit], { active: true, kind: "imported" }) };
}

type Act = (what: string) => Promise<void>;

function readingTools(act: Act): TestTool[] {
  return [
    {
      name: "look",
      run: async () => {
        await act("look");
        return "looked";
      },
    },
    {
      name: "put",
      effect: "idempotent",
      run: async (_input, context) => {
        await act("put");
        await context.store.set("stall", 7);
        return "kept";
      },
    },
    {
      name: "report",
      run: async (_input, context) => {
        for (const step of ["fetch#1", "fetch#2", "write#1"]) {
          await context.step(step.slice(0, -2), async () => {
            await act(step);
            return step;
          });
        }
        const data = new TextEncoder().encode("Stall 7 is free.");
        await context.file({ name: "report.txt", media_type: "text/plain", data });
        return "written";
      },
    },
  ];
}

function actingTools(act: Act): TestTool[] {
  return [
    {
      name: "stamp",
      effect: "side_effect",
      run: async () => {
        await act("handoff/stamp");
        return "stamped";
      },
    },
    {
      name: "seal",
      effect: "side_effect",
      run: async () => {
        await act("direct/seal");
        return "sealed";
      },
    },
    {
      name: "send",
      effect: "side_effect",
      approval: () => ({ approver: "asker", reason: "It leaves the channel." }),
      run: async () => {
        await act("send");
        return "sent";
      },
    },
    {
      name: "book",
      effect: "side_effect",
      run: async (_input, context) => {
        await context.step("search", async () => {
          await act("search#1");
          return "found";
        });
        const answer = await context.ask({ text: "Which day?", choices: ["Monday", "Tuesday"] });
        await act("book");
        return `booked for ${answer}`;
      },
    },
    {
      name: "fire",
      effect: "side_effect",
      run: async () => {
        await act("fire");
        return "fired";
      },
    },
  ];
}
