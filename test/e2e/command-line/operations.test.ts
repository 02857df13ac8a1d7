import { describe, expect, it } from "vitest";
import { ended } from "../support/turns.ts";
import { useBot } from "../support/use-bot.ts";

const place = { namespace: "console:local:general", thread: "t1" };

describe("a bot that somebody watches over", () => {
  const bot = useBot({ env: ({ gate }) => ({ ...openAi(gate.url), LOG_LEVEL: "info" }) });

  it("a monitored bot counts a turn, and writes one line of it without a word of what was said", async () => {
    const { home, models } = bot();
    await models.add([{ match: { userMessage: "the code" }, response: { content: "It is 4711." } }]);
    const { client, url, err } = await home.start();
    const { turn_id } = await client.submitTurn({ ...place, text: "what is the code?" });
    await ended(client, turn_id);

    const metrics = await fetch(`${url}/metrics`);
    expect(metrics.headers.get("content-type")).toContain("text/plain");
    const text = await metrics.text();
    expect(text).toContain('knack_turns_total{kind="message",outcome="completed"} 1');
    expect(text).toContain('knack_model_calls_total{provider="openai",model="test",outcome="ok"} 1');
    expect(text).toContain('knack_queue_turns{state="queued"} 0');
    expect(text).toContain("process_resident_memory_bytes");
    expect(text).not.toContain(place.namespace);

    const lines = err()
      .split("\n")
      .filter((line) => line.includes(turn_id));
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { msg: "A turn ended", outcome: "completed", rounds: 1, namespace: place.namespace },
    ]);
    expect(err()).not.toContain("4711");
    expect(err()).not.toContain("what is the code");
  });

  it("a bot is not ready as soon as it is told to stop, while its last turn is finished", async () => {
    const { home, models, gate } = bot();
    await models.add([{ match: { userMessage: "hello" }, response: { content: "Hello, you." } }]);
    gate.close();
    const first = await home.start();
    expect((await fetch(`${first.url}/readyz`)).status).toBe(200);
    await first.client.submitTurn({ ...place, text: "hello" });
    await gate.reached(1);
    first.signal("SIGTERM");
    await first.says("Stopping after the running turns");
    const ready = await fetch(`${first.url}/readyz`);
    expect(ready.status).toBe(503);
    expect(await ready.text()).toContain("shutting down");
    expect((await fetch(`${first.url}/healthz`)).status).toBe(200);
    gate.open();
    expect(await first.exited).toBe(0);
  });
});

function openAi(url: string): Record<string, string> {
  return { KNACK_MODEL: "openai/test", OPENAI_API_KEY: "test", OPENAI_BASE_URL: `${url}/v1` };
}
