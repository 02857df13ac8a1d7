import { expect, it } from "vitest";
import { bubblewrapArguments } from "../../../src/sandbox/bubblewrap-arguments.ts";

it("bubblewrap shows a bot or data folder within a system folder as empty, and leaves other paths out", async () => {
  const settings = await bubblewrapArguments({
    skillFolder: "/srv/skill",
    node: "/opt/node",
    files: [{ from: "/run/passwd", to: "/etc/passwd" }],
    workspaceBytes: 1_000,
    hidden: ["/usr/src/knack", "/var/lib/knack"],
    contained: false,
    env: { KEY: "value" },
  });
  const text = settings.join(" ");
  expect(text).toContain("--tmpfs /usr/src/knack --remount-ro /usr/src/knack");
  expect(text.indexOf("--tmpfs /usr/src/knack")).toBeGreaterThan(text.indexOf("--ro-bind /usr /usr"));
  expect(text).not.toContain("/var/lib/knack");
});
