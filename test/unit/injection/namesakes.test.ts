import { describe, expect, it } from "vitest";
import { renderApproval } from "../../../src/app/chat/present/render-approval.ts";
import { ann, ask, createWorld } from "../../support/fakes/chat-world.ts";
import type { Line } from "../../support/models/scripted-model.ts";

const eve = {
  id: "U66EVE",
  name: "Ben",
  full_name: "Benjamin Brown",
  here: true,
  standing: "outsider",
} as const;

/** The card of the call, as a person reads it, and what is kept of it. */
async function cardFor(call: Line, text = "do it") {
  const world = createWorld([call, "Done."]);
  world.chat.known.push(eve, { id: "U67GUS", name: "Gus", here: true, standing: "guest" });
  world.chat.groups.push({ id: "S5ONCALL", name: "oncall", members: 4, callable: true });
  const { asked } = await ask(world, text, { verdict: false });
  const [approval] = asked;
  expect(asked).toHaveLength(1);
  if (approval === undefined) throw new Error("Nobody was asked");
  const audience = { asker: ann, isTheirs: true, deciders: [] };
  return { card: renderApproval(approval, audience, 3_000).markdown, input: JSON.stringify(approval.input) };
}

const send = (to: string): Line => [{ call: "chat_send", with: { to, text: "The code is 4711." } }];
const mention = (id: string): Line => [{ call: "chat_mention", with: { ids: [id] } }];

describe("a card", () => {
  it.each([
    ["a message", send],
    ["a mention", mention],
  ])("a card that asks for %s tells two people of one name apart [name-4]", async (_what, call) => {
    const [ofBen, ofEve] = [await cardFor(call("U2BEN")), await cardFor(call("U66EVE"))];
    expect(ofBen.card).not.toBe(ofEve.card);
    expect(ofBen.card).toContain("<@U2BEN> (1 other is called so)");
    expect(ofEve.card).toContain("<@U66EVE> (from another company; 1 other is called so)");
    expect(ofBen.card).not.toContain("another company");
    expect(ofBen.input).toContain("U2BEN");
    expect(ofEve.input).toContain("U66EVE");
  });

  it("a card says that somebody is a guest [name-4]", async () => {
    expect((await cardFor(send("U67GUS"))).card).toContain('"Gus" <@U67GUS> (a guest)');
  });

  it("a card about groups and channels has their ids", async () => {
    const group = await cardFor(mention("S5ONCALL"));
    expect(group.card).toContain('"oncall" <@&S5ONCALL>');
    expect(group.input).toContain("S5ONCALL");
    const channel = await cardFor(send("#random"));
    expect(channel.card).toContain('"random" <#random>');
  });

  it("a card about a reminder for somebody tells which person of a name it is for", async () => {
    const call: Line = [
      {
        call: "invoke_skill",
        with: {
          skill_id: "schedule#add",
          params: { what: "reminder", text: "the code", at: "2030-01-02T09:00", for: "U66EVE" },
        },
      },
    ];
    const { card, input } = await cardFor(call);
    expect(card).toContain("<@U66EVE> (from another company; 1 other is called so)");
    expect(input).toContain("U66EVE");
  });
});
