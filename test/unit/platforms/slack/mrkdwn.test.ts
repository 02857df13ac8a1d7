import { expect, test } from "vitest";
import { mentionsIn, readableText } from "../../../../src/platforms/slack/mrkdwn.ts";

const names = {
  person: async (id: string) => ({ U1: "Ada" })[id],
  channel: async (id: string) => ({ C1: "general" })[id],
};
const read = (text: string) => readableText(text, "UBOT", names);

test.each([
  ["<@U1> <@U2> <@U3|carl>", "@Ada @U2 @carl"],
  ["<#C1> <#C1|> <#C2|old>", "#general #general #old"],
  ["<!here> <!channel|channel> <!subteam^S1|@ops> <!subteam^S2>", "@here @channel @ops @group"],
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
  ["1 < 2 and 3 > 2", "1 < 2 and 3 > 2"],
])("%s reads %s", async (text, readable) => {
  expect(await read(text)).toBe(readable);
});

test("an escaped mention mentions nobody", () => {
  expect(mentionsIn("&lt;@U1&gt; <@U2> <!here>")).toEqual({ people: ["U2"], groups: true });
  expect(mentionsIn("&lt;!here&gt;")).toEqual({ people: [], groups: false });
});
