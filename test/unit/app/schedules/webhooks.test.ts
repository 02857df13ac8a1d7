import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { ann, channel, type createScheduleWorld, minute } from "../../../support/schedule-world.ts";
import { withTrigger } from "./with-trigger.ts";

type World = ReturnType<typeof createScheduleWorld>;

describe("a webhook", () => {
  const secretOf = (world: World) =>
    /```\n(.+)\n```/.exec(
      world.platform.shown.findLast(({ only_for }) => only_for === "ann")?.message.markdown ?? "",
    )?.[1] ?? "";
  const request = (id: string, headers: Record<string, string>, body = '{"failed":"unit tests"}') => ({
    id,
    header: (name: string) => headers[name],
    body: new TextEncoder().encode(body),
  });
  const signed = (secret: string, at: number, body = '{"failed":"unit tests"}') => {
    const timestamp = String(Math.floor(at / 1000));
    const signature = createHmac("sha256", secret).update(`v1:${timestamp}:${body}`).digest("hex");
    return { "x-knack-timestamp": timestamp, "x-knack-signature": `v1=${signature}` };
  };

  it("tells its secret to its maker alone, and begins a turn in the channel itself", async () => {
    const { world, view, service, pass, taken } = await withTrigger({ on: "webhook" });
    expect(view.address).toBe(`https://knack.example.com/hooks/${view.id}`);
    const secret = secretOf(world);
    expect(secret.length).toBeGreaterThan(40);
    expect(JSON.stringify(await world.due.list({}))).not.toContain(secret);
    expect(await service.hooks.take(request(view.id, signed(secret, world.clock.now())))).toBe("taken");
    await pass(0);
    expect(taken()).toMatchObject([
      {
        thread: `trigger.${view.id}`,
        cause: { in_channel: true, happened: expect.stringContaining("unit tests") },
      },
    ]);
  });

  it("takes the secret itself, too, and the same delivery once", async () => {
    const { world, view, service, pass, taken } = await withTrigger({ on: "webhook" });
    const headers = { authorization: `Bearer ${secretOf(world)}`, "idempotency-key": "run 7" };
    expect(await service.hooks.take(request(view.id, headers))).toBe("taken");
    expect(await service.hooks.take(request(view.id, headers))).toBe("known");
    await pass(5 * minute);
    expect(taken()).toHaveLength(1);
  });

  it("is unknown to whoever has not signed it, and one that is not there answers alike", async () => {
    const { world, view, service } = await withTrigger({ on: "webhook" });
    const [secret, now] = [secretOf(world), world.clock.now()];
    const good = signed(secret, now);
    for (const [id, headers, body] of [
      [view.id, {}, undefined],
      [view.id, { authorization: "Bearer wrong" }, undefined],
      [view.id, { authorization: "Bearer " }, undefined],
      [view.id, signed("wrong", now), undefined],
      [view.id, signed(secret, now - 6 * minute), undefined],
      [view.id, { ...good, "x-knack-timestamp": "1" }, undefined],
      [view.id, good, "another body"],
      ["nothing", good, undefined],
      ["", good, undefined],
    ] as const)
      expect(await service.hooks.take(request(id, headers, body))).toBe("unknown");
  });

  it("has one secret: a new one ends the one before, and only its maker gets it", async () => {
    const { world, view, service } = await withTrigger({ on: "webhook" });
    const before = secretOf(world);
    const ben = { author: { ...ann, id: "ben" }, place: channel };
    expect(await service.newSecret(ben, view.id)).toMatchObject({ ok: false, status: 403 });
    await service.newSecret({ author: ann, place: channel }, view.id);
    const bearer = (secret: string) => request(view.id, { authorization: `Bearer ${secret}` });
    expect(await service.hooks.take(bearer(before))).toBe("unknown");
    expect(await service.hooks.take(bearer(secretOf(world)))).toBe("taken");
  });

  it("is flooded: what is too much is counted and said", async () => {
    const { world, view, service, pass, taken } = await withTrigger({ on: "webhook" });
    const headers = { authorization: `Bearer ${secretOf(world)}` };
    const answers = [];
    for (let call = 0; call < 10; call += 1)
      answers.push(await service.hooks.take(request(view.id, headers, `${call}`)));
    expect(answers.filter((answer) => answer === "flooded")).toHaveLength(6);
    await pass(0);
    expect(taken()).toHaveLength(1);
    expect(taken()[0]?.cause?.happened).toMatch(/6 more times/);
  });

  it("takes any body, cut to what a model is told", async () => {
    const { world, view, service, pass, taken } = await withTrigger({ on: "webhook" });
    const headers = { authorization: `Bearer ${secretOf(world)}` };
    await service.hooks.take(request(view.id, headers, `\u0000\u0001"\\${'"'.repeat(99_000)}`));
    await service.hooks.take({
      id: view.id,
      header: (name) => (headers as never)[name],
      body: new Uint8Array([255, 254, 0]),
    });
    await service.hooks.take(request(view.id, headers, ""));
    await pass(0);
    expect(taken()[0]?.cause?.happened).toMatch(/characters more.*an empty request/s);
    expect(taken()[0]?.cause?.happened?.length).toBeLessThan(20_000);
  });
});
