import { expect, it } from "vitest";
import { expectGolden, indented } from "./golden.ts";
import { createGoldenBot } from "./golden-bot.ts";
import { createSpeaker, type Speaker } from "./said-sentence.ts";
import { beginnings, sentences } from "./slash-sentences.ts";

const speakers: readonly Speaker[] = [
  { person: "olga", place: "channel" },
  { person: "mia", place: "channel" },
  { person: "ben", place: "channel" },
  { person: "olga", place: "dm" },
  { person: "ben", place: "dm" },
];

const roles: Record<string, string> = { olga: "operator", mia: "manager", ben: "member", gus: "guest" };

/** Who speaks where it is not everybody. */
const speakersOf: Readonly<Record<string, readonly Speaker[]>> = {
  entrances: [...speakers, { person: "gus", place: "channel" }],
  approvals: [{ person: "olga", place: "channel" }],
};

/** One bot for each speaker, which hears all sentences of a family. */
async function heard(name: string, family: readonly string[]): Promise<Map<Speaker, string[]>> {
  const answers = (speakersOf[name] ?? speakers).map(async (speaker) => {
    const say = createSpeaker(speaker);
    const said: string[] = [];
    for (const sentence of family) said.push(await say(sentence));
    return [speaker, said] as const;
  });
  return new Map(await Promise.all(answers));
}

/** Who got the same answer stands before it together. */
function record(sentence: string, answers: ReadonlyMap<string, readonly string[]>): string {
  const groups = [...answers].map(([answer, who]) => `  ${who.join(", ")}:\n${indented(answer)}`);
  return [`>> ${sentence}`, ...groups, ""].join("\n");
}

it.each(Object.keys(sentences))("the commands of %s answer as before", async (name) => {
  const family = sentences[name] ?? [];
  const answers = await heard(name, family);
  const records = family.map((sentence, index) => {
    const groups = new Map<string, string[]>();
    for (const [{ person, place }, said] of answers) {
      const answer = said[index] ?? "";
      groups.set(answer, [...(groups.get(answer) ?? []), `${roles[person]} in ${place}`]);
    }
    return record(sentence, groups);
  });
  await expectGolden(`slash/${name}.txt`, records.join("\n"));
});

it("beginnings of commands are completed as before", async () => {
  const { app } = createGoldenBot().test;
  const records: string[] = [];
  for (const text of beginnings) {
    const found = await app.complete(text, "console:local:general");
    const lines = found.map(
      ({ text: whole, label, description }) => `  ${[whole, label, description].join(" | ")}`,
    );
    records.push([`>> ${text}`, ...lines, ""].join("\n"));
  }
  expect(records.length).toBe(beginnings.length);
  await expectGolden("slash/completions.txt", records.join("\n"));
});
