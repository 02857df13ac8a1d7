import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { ann, channel, type createScheduleWorld, minute } from "../../../support/skills/schedule-world.ts";
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

  it("a webhook tells its secret to its maker only, and begins a turn in the channel itself", async () => {
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

  it("a webhook also takes the secret itself, and the same delivery once", async () => {
    const { world, view, service, pass, taken } = await withTrigger({ on: "webhook" });
    const headers = { authorization: `Bearer ${secretOf(world)}`, "idempotency-key": "run 7" };
    expect(await service.hooks.take(request(view.id, headers))).toBe("taken");
    expect(await service.hooks.take(request(view.id, headers))).toBe("known");
    await pass(5 * minute);
    expect(taken()).toHaveLength(1);
  });

  it("a webhook answers an unsigned request like one for an unknown webhook [plan-7]", async () => {
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

  it("a webhook has one secret: a new one ends the previous one, and only its maker gets it", async () => {
    const { world, view, service } = await withTrigger({ on: "webhook" });
    const before = secretOf(world);
    const ben = { author: { ...ann, id: "ben" }, place: channel };
    expect(await service.newSecret(ben, view.id)).toMatchObject({ ok: false, status: 403 });
    await service.newSecret({ author: ann, place: channel }, view.id);
    const bearer = (secret: string) => request(view.id, { authorization: `Bearer ${secret}` });
    expect(await service.hooks.take(bearer(before))).toBe("unknown");
    expect(await service.hooks.take(bearer(secretOf(world)))).toBe("taken");
  });

  it("a flooded webhook counts and reports the excess, and takes it when it is sent again", async () => {
    const { world, view, service, pass, taken } = await withTrigger({ on: "webhook" });
    const send = (call: number) =>
      service.hooks.take(
        request(view.id, signed(secretOf(world), world.clock.now(), `event ${call}`), `event ${call}`),
      );
    const answers = [];
    for (let call = 0; call < 106; call += 1) answers.push(await send(call));
    expect(answers.filter((answer) => answer === "flooded")).toHaveLength(6);
    await pass(0);
    expect(taken()[0]?.cause?.happened).toMatch(/event 0.*event 49.*6 more times/s);
    expect(await send(105)).toBe("taken");
    await pass(20 * minute);
    const told = taken()
      .map(({ cause }) => cause?.happened ?? "")
      .join("\n");
    for (const call of [...Array(100).keys(), 105])
      expect(told.match(new RegExp(`event ${call}$`, "gm"))).toHaveLength(1);
  });

  it("a webhook reports each event once, even if the bot dies between taking it and its turn", async () => {
    const { world, view, service, pass, taken } = await withTrigger({ on: "webhook" });
    const send = (call: number) =>
      service.hooks.take(
        request(view.id, signed(secretOf(world), world.clock.now(), `event ${call}`), `event ${call}`),
      );
    const change = world.due.change;
    let changes = 0;
    for (let deadly = 0; deadly < 12; deadly += 1) {
      changes = 0;
      world.due.change = (...given) => {
        changes += 1;
        return changes === deadly ? Promise.reject(new Error("The disk is full.")) : change(...given);
      };
      await send(deadly).catch(() => "lost");
      // What was not acknowledged is sent again.
      await send(deadly).catch(() => "lost");
      await pass(0);
      world.due.change = change;
      await pass(5 * minute);
    }
    const told = taken()
      .map(({ cause }) => cause?.happened ?? "")
      .join("\n");
    for (let call = 0; call < 12; call += 1)
      expect(told.match(new RegExp(`event ${call}$`, "gm"))).toHaveLength(1);
  });

  describe("of a kind", () => {
    const body = '{"failed":"unit tests"}';
    const hmac = (secret: string, text: string) => createHmac("sha256", secret).update(text).digest("hex");
    const kinds = {
      slack: (secret: string, seconds: number) => ({
        "x-slack-request-timestamp": `${seconds}`,
        "x-slack-signature": `v0=${hmac(secret, `v0:${seconds}:${body}`)}`,
      }),
      stripe: (secret: string, seconds: number) => ({
        "stripe-signature": `t=${seconds},v1=${hmac("old", `${seconds}.${body}`)},v1=${hmac(secret, `${seconds}.${body}`)}`,
      }),
      github: (secret: string) => ({ "x-hub-signature-256": `sha256=${hmac(secret, body)}` }),
      hmac: (secret: string) => ({ "x-signature-256": `sha256=${hmac(secret, body)}` }),
      gitlab: (secret: string) => ({ "x-gitlab-token": secret, "x-gitlab-event-uuid": "e-1" }),
    };
    const all = Object.entries(kinds) as [
      keyof typeof kinds,
      (secret: string, seconds: number) => Record<string, string>,
    ][];

    it.each(all)(
      "a webhook of the kind %s is taken as its sender signs, and the same delivery once [plan-7]",
      async (kind, headersOf) => {
        const { world, view, service } = await withTrigger({ on: "webhook", kind });
        const seconds = Math.floor(world.clock.now() / 1_000);
        const headers = headersOf(secretOf(world), seconds);
        expect(await service.hooks.take(request(view.id, headersOf("wrong", seconds)))).toBe("unknown");
        expect(
          await service.hooks.take(request(view.id, { authorization: `Bearer ${secretOf(world)}` })),
        ).toBe("unknown");
        expect(await service.hooks.take(request(view.id, headers))).toBe("taken");
        // Nothing that is not signed makes a copy a new delivery.
        const copy = { ...headers, "idempotency-key": "another" };
        expect(await service.hooks.take(request(view.id, copy))).toBe("known");
      },
    );

    it.each(["slack", "stripe"] as const)(
      "a webhook of the kind %s with a signature of yesterday is refused",
      async (kind) => {
        const { world, view, service } = await withTrigger({ on: "webhook", kind });
        const headers = kinds[kind](secretOf(world), Math.floor(world.clock.now() / 1_000) - 86_400);
        expect(await service.hooks.take(request(view.id, headers))).toBe("unknown");
      },
    );

    it("a webhook that signs only the body recognises it for a day", async () => {
      const { world, view, service, pass } = await withTrigger({ on: "webhook", kind: "github" });
      const send = () => service.hooks.take(request(view.id, kinds.github(secretOf(world))));
      expect(await send()).toBe("taken");
      await pass(23 * 60 * minute);
      expect(await send()).toBe("known");
      await pass(2 * 60 * minute);
      expect(await send()).toBe("taken");
    });
  });

  it("a webhook ignores another idempotency key next to a signature: it is the same delivery", async () => {
    const { world, view, service } = await withTrigger({ on: "webhook" });
    const headers = signed(secretOf(world), world.clock.now());
    expect(await service.hooks.take(request(view.id, { ...headers, "idempotency-key": "1" }))).toBe("taken");
    expect(await service.hooks.take(request(view.id, { ...headers, "idempotency-key": "2" }))).toBe("known");
  });

  it("a webhook takes the secret that its sender made", async () => {
    const { world, view, service } = await withTrigger({ on: "webhook", kind: "stripe" });
    const seconds = Math.floor(world.clock.now() / 1_000);
    const given = "whsec_of_the_sender";
    await service.newSecret({ author: ann, place: channel }, view.id, given);
    const body = "{}";
    const signature = createHmac("sha256", given).update(`${seconds}.${body}`).digest("hex");
    const headers = { "stripe-signature": `t=${seconds},v1=${signature}` };
    expect(await service.hooks.take(request(view.id, headers, body))).toBe("taken");
  });

  it("a webhook takes any body, cut to what a model is told", async () => {
    const { world, view, service, pass, taken } = await withTrigger({ on: "webhook" });
    const headers = { authorization: `Bearer ${secretOf(world)}` };
    await service.hooks.take(request(view.id, headers, `\u0000\u0001"\\${'"'.repeat(99_000)}`));
    await service.hooks.take({
      id: view.id,
      header: (name) => (headers as never)[name],
      body: new Uint8Array([255, 254, 0]),
    });
    for (const body of ["", " \n"]) await service.hooks.take(request(view.id, headers, body));
    await pass(0);
    expect(taken()[0]?.cause?.happened).toMatch(
      /\[cut: the first \d+ of \d+ characters.*an empty request.*an empty request/s,
    );
    expect(taken()[0]?.cause?.happened?.length).toBeLessThan(20_000);
  });
});
