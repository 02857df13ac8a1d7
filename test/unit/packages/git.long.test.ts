import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createGuardedProxy } from "../../../src/net/guarded-proxy.ts";
import { needs } from "../../support/needs.ts";
import { skillText } from "./build-archives.ts";
import { gitServer } from "./git-server.ts";
import { byAnna, only, packagePlace, signal, succeeded } from "./package-place.ts";

const access = { path: process.env.PATH ?? "", plainHttpHosts: ["127.0.0.1"] };

describe("a git repository", needs("git"), () => {
  it("a git repository is installed from its newest commit, from a branch, and from a folder in it", async () => {
    const server = await gitServer();
    await server.commit("one", { "SKILL.md": skillText("greeting", "Main."), "a.txt": "a" });
    await server.commit("one", { "SKILL.md": skillText("greeting", "Next.") }, "next");
    await server.commit("many", { "skills/x/SKILL.md": skillText("x"), "skills/y/SKILL.md": skillText("y") });
    const packages = await (await packagePlace({ access })).open();
    const install = (url: string) => packages.install({ kind: "url", url }, byAnna);
    const next = only(succeeded(await install(`${server.address("one")}#next`)));
    expect(next).toMatchObject({ skill_id: "greeting", review: { files: 2 } });
    await server.commit("one", { "SKILL.md": skillText("greeting", "Main again.") }, "main");
    const main = only(succeeded(await install(server.address("one"))));
    expect(main.hash).not.toBe(next.hash);
    const part = only(succeeded(await install(`${server.address("many")}#main:skills/y`)));
    expect(part.skill_id).toBe("y");
    expect(await packages.update("y", { by: "Ben", signal })).toMatchObject({ ok: true });
  });

  it("a git repository with a link in it is refused, and so is a missing one", async () => {
    const server = await gitServer();
    await server.commit("bad", { "SKILL.md": skillText("bad"), passwords: "->/etc/passwd" });
    const place = await packagePlace({ access });
    const packages = await place.open();
    const install = (url: string) => packages.install({ kind: "url", url }, byAnna);
    expect(await install(server.address("bad"))).toMatchObject({
      code: "link",
      reason: expect.stringContaining("passwords"),
    });
    expect(await install(server.address("none"))).toMatchObject({ code: "git_failed" });
    expect(await install(`${server.address("bad")}#nowhere`)).toMatchObject({
      code: "git_failed",
      reason: expect.stringContaining("nowhere"),
    });
    expect(await place.staged()).toEqual([]);
  });

  it("a git repository that is too large is stopped", async () => {
    const server = await gitServer();
    const noise = randomBytes(300_000).toString("latin1");
    await server.commit("big", { "SKILL.md": skillText("big"), noise });
    const place = await packagePlace({ access, limits: { archive_bytes: 100_000 } });
    const packages = await place.open();
    const outcome = await packages.install({ kind: "url", url: server.address("big") }, byAnna);
    expect(outcome).toMatchObject({ ok: false, code: "archive_too_large" });
    expect(await place.staged()).toEqual([]);
  });

  it("a git repository is fetched only as far as it is read, where the server can leave out the rest", async () => {
    const server = await gitServer();
    const noise = randomBytes(300_000).toString("latin1");
    const files = { "x/SKILL.md": skillText("x"), "x/style.md": "->../style.md", "style.md": "Brief." };
    await server.commit("big", { ...files, noise });
    const place = await packagePlace({ access, limits: { archive_bytes: 100_000 } });
    const packages = await place.open();
    const source = { kind: "url" as const, url: `${server.address("big")}#main:x` };
    expect(await packages.install(source, byAnna)).toMatchObject({ ok: false, code: "archive_too_large" });
    await server.allowFilter("big");
    expect(only(succeeded(await packages.install(source, byAnna))).review.files).toBe(2);
  });

  it("a git repository is fetched at a commit, as addresses that stay true name it", async () => {
    const server = await gitServer();
    await server.commit("one", { "SKILL.md": skillText("greeting", "First.") });
    const commit = execFileSync("git", ["-C", join(server.root, "one.git"), "rev-parse", "main"]).toString();
    await server.commit("one", { "SKILL.md": skillText("greeting", "Next.") }, "main");
    const place = await packagePlace({ access });
    await (await place.open()).install(
      { kind: "url", url: `${server.address("one")}#${commit.trim()}` },
      byAnna,
    );
    const [skill] = (await place.load()).skills;
    expect(skill?.instructions).toBe("First.");
  });

  it("a git repository is fetched through the guard, which refuses addresses of this machine", async () => {
    const server = await gitServer();
    await server.commit("one", { "SKILL.md": skillText("greeting") });
    const source = { kind: "url" as const, url: server.address("one") };
    const through = async (allow: string[]) => {
      const proxy = createGuardedProxy({ allow });
      const openProxy = () => proxy.openOnLoopback({ permits: () => true });
      return await (await packagePlace({ access, openProxy })).open();
    };
    expect(await (await through([])).install(source, byAnna)).toMatchObject({
      code: "git_failed",
      reason: expect.stringContaining("127.0.0.1"),
    });
    expect(server.paths).toEqual([]);
    expect(await (await through(["127.0.0.1"])).install(source, byAnna)).toMatchObject({ ok: true });
    expect(server.paths).not.toEqual([]);
  });

  it("fetching a git repository ends with the person's stop", async () => {
    const hanging = createServer(() => undefined);
    await new Promise<void>((resolve) => hanging.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => hanging.closeAllConnections());
    onTestFinished(() => void hanging.close());
    const stop = new AbortController();
    hanging.on("request", () => stop.abort(new Error("stopped by Anna")));
    const place = await packagePlace({ access });
    const packages = await place.open();
    const url = `http://127.0.0.1:${(hanging.address() as AddressInfo).port}/a.git`;
    const installing = packages.install({ kind: "url", url }, { by: "Anna", signal: stop.signal });
    await expect(installing).rejects.toThrow("stopped by Anna");
    expect(await place.staged()).toEqual([]);
  });
});

describe("skills of two owners", needs("git"), () => {
  it("skills of two owners with one id are both installed, and each update finds its own", async () => {
    const server = await gitServer();
    for (const owner of ["anna", "ben"])
      await server.commit(`${owner}/skills`, { "x/SKILL.md": skillText("x", owner) });
    const packages = await (await packagePlace({ access })).open();
    const install = async (owner: string) =>
      only(
        succeeded(await packages.install({ kind: "url", url: server.address(`${owner}/skills`) }, byAnna)),
      );
    expect((await install("anna")).skill_id).toBe("x");
    expect((await install("ben")).skill_id).toBe("ben-x");
    expect((await install("anna")).skill_id).toBe("x");
    await packages.remove("x");
    expect(only(succeeded(await packages.update("ben-x", byAnna))).skill_id).toBe("ben-x");
  });
});
