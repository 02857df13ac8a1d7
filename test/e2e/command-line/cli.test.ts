import { describe, expect, it } from "vitest";
import type { TurnEvent } from "../../../src/core/log/turn-event.ts";
import type { BotHome } from "../../support/bot/bot-process.ts";
import { jsonLines } from "../support/json-lines.ts";
import { eventsOf, expectWholeTurn } from "../support/turns.ts";
import { useHome } from "../support/use-home.ts";

const general = "console:local:general";

interface Listing {
  id: string;
  state: string;
}

const states = async (home: BotHome, namespace: string) => {
  const { stdout } = await home.run(["skills", "list", "--json", "--namespace", namespace]);
  const { skills } = JSON.parse(stdout) as { skills: Listing[] };
  return new Map(skills.map(({ id, state }) => [id, state]));
};

describe("a command next to a running bot", () => {
  const home = useHome({ running: true });
  const run = (...argv: string[]) => home().run(argv);

  it("`knack ask` answers a question about a text through the skill for it", async () => {
    const { code, stdout } = await run(
      "ask",
      "What is the sentiment of: I love this, but the ending was terrible",
      "--json",
    );
    const events = jsonLines(stdout) as TurnEvent[];
    expectWholeTurn(events);
    expect(eventsOf(events, "tool_started").map(({ skill_id }) => skill_id)).toContain("text-analyzer");
    expect(eventsOf(events, "tool_finished").map(({ status }) => status)).not.toContain("error");
    expect(eventsOf(events, "turn_finished")[0]?.text).toMatch(/sentiment|mixed|negative|positive|neutral/i);
    expect(code).toBe(0);
  });
});

describe("a command without a running bot", () => {
  const home = useHome();
  const run = (...argv: string[]) => home().run(argv);

  it("several commands at the same moment are all effective", async () => {
    const ids = ["memory", "text-analyzer", "web-scraping"];
    const codes = await Promise.all(
      ids.map(async (id) => (await run("command", `/skill enable ${id}`, "--namespace", general)).code),
    );
    expect(codes).toEqual([0, 0, 0]);
    const now = await states(home(), general);
    expect(ids.map((id) => now.get(id))).toEqual(["pinned", "pinned", "pinned"]);
  });

  it("the configuration and its checks have every secret masked", async () => {
    const env = { OPENAI_API_KEY: "sk-very-secret", KNACK_API_TOKEN: "api-token-very-secret" };
    const shown = await home().run(["config", "--json"], { env });
    const { settings } = JSON.parse(shown.stdout) as {
      settings: { key: string; value: unknown; source: string }[];
    };
    expect(settings.find(({ key }) => key === "model.openai.api_key")).toMatchObject({
      value: "••••••",
      source: "environment OPENAI_API_KEY",
    });
    const checked = await home().run(["doctor", "--json"], { env });
    const report = JSON.parse(checked.stdout) as { ok: boolean; checks: { name: string; ok: boolean }[] };
    expect(report.checks.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["data folder", "sandbox", "store"]),
    );
    expect(checked.code).toBe(report.ok ? 0 : 1);
    expect(shown.stdout + shown.stderr + checked.stdout + checked.stderr).not.toContain("very-secret");
  });
});
