import { describe, expect, it } from "vitest";
import { formatLines } from "../../soak/report.ts";
import { soak } from "../../soak/soak.ts";
import { wrongClock } from "../../support/bot/moved-clock.ts";
import { needs } from "../../support/needs.ts";

describe("the processes of a bot on one database", needs("postgresql"), () => {
  it("the processes of a bot lose, double and reorder nothing while they are killed, stopped and cut off, with clocks two hours apart", {
    timeout: 400_000,
  }, async () => {
    const clocks = { "worker-1": wrongClock(-3_600_000), "worker-2": wrongClock(3_600_000) };
    const { lines } = await soak({
      store: "postgres",
      roles: ["gateway", "worker", "worker"],
      size: {
        ...{ messages: 60, threads: 10, chat: 6, clients: 12, minutes: 5 },
        ...{ kills: 6, pauses: 1, cuts: 1, restarts: 0 },
      },
      config: "turns: { lease_seconds: 2 }\n",
      pauseMs: 4_000,
      env: (name) => clocks[name as keyof typeof clocks] ?? {},
    });
    expect(
      lines.filter(({ wrong = [] }) => wrong.length > 0),
      formatLines(lines),
    ).toEqual([]);
  });
});
