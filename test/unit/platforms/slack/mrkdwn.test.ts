import { expect, test } from "vitest";
import { mentionsIn, readableText } from "../../../../src/platforms/slack/channel/mrkdwn.ts";

const names = {
  person: async (id: string) => ({ U1: "Ada" })[id],
  channel: async (id: string) => ({ C1: "general" })[id],
  group: async (id: string) => ({ S3: "night-shift" })[id],
};
const read = (text: string) => readableText(text, "UBOT", names);

test.each([
  ["<@U1> <@U2> <@U3|carl>", "@Ada @U2 @carl"],
  ["<#C1> <#C1|> <#C2|old>", "#general #general #old"],
  ["<!here> <!channel|channel> <!subteam^S1|@ops> <!subteam^S2>", "@here @channel @ops @group"],
  ["ask <!subteam^S3>", "ask @night-shift"],
  [
    "<https://a.example> <https://a.example|a.example> <http://a.example/x|the page>",
    "https://a.example https://a.example [the page](http://a.example/x)",
  ],
  ["<mailto:a@b.example|a@b.example> <tel:+41|+41>", "a@b.example +41"],
  ["<!date^1392734382^{date}|Feb 18>", "Feb 18"],
  ["a &lt;b&gt; &amp;amp; c", "a <b> &amp; c"],
  ["<@UBOT> do it", "do it"],
  ["please <@UBOT> do it", "please do it"],
  ["<@UBOT>", ""],
  ["*<@UBOT>* /skill list", "/skill list"],
  ["ask _~<@UBOT>~_ *now*", "ask *now*"],
  ["*<@UBOT> hello*", "*hello*"],
  ["1 < 2 and 3 > 2", "1 < 2 and 3 > 2"],
])("the Slack text %s reads %s", async (text, readable) => {
  expect(await read(text)).toBe(readable);
});

test("an escaped mention mentions nobody", () => {
  expect(mentionsIn("&lt;@U1&gt; <@U2> <!here>")).toEqual({
    people: ["U2"],
    userGroups: new Map(),
    groups: true,
  });
  expect(mentionsIn("&lt;!here&gt;")).toEqual({ people: [], userGroups: new Map(), groups: false });
});

test("a text of nothing but spaces or brackets takes no longer than one of words", async () => {
  const fastest = async (text: string) => {
    const times: number[] = [];
    for (let run = 0; run < 5; run += 1) {
      const start = performance.now();
      mentionsIn(text);
      await read(text);
      times.push(performance.now() - start);
    }
    return Math.min(...times);
  };
  const words = await fastest("word ".repeat(8_000));
  for (const text of [`a${" ".repeat(40_000)}b`, "\t ".repeat(20_000), "<@".repeat(20_000)])
    expect(await fastest(text)).toBeLessThan(100 * Math.max(words, 0.5));
});

test("a text full of names looks up only some of them", async () => {
  let asked = 0;
  const person = async () => {
    asked += 1;
    return "Ada";
  };
  const text = Array.from({ length: 3_000 }, (_, index) => `<@U${index}>`).join("");
  const shown = await readableText(text, "UBOT", { ...names, person });
  expect(asked).toBe(100);
  expect(shown).toMatch(/^@Ada[\s\S]*@U2999$/);
});
