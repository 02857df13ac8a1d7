import { expect, it } from "vitest";
import { missingBubblewrap } from "../../../src/sandbox/isolation-cure.ts";

const packages = ["bubblewrap"];

it.each([
  ["Debian", "ID=debian\n", "sudo apt-get install bubblewrap"],
  ["Ubuntu", 'ID=ubuntu\nID_LIKE=debian\nVERSION_ID="24.04"\n', "sudo apt-get install bubblewrap"],
  ["Linux Mint", 'ID=linuxmint\nID_LIKE="ubuntu debian"\n', "sudo apt-get install bubblewrap"],
  ["Fedora", "ID=fedora\n", "sudo dnf install bubblewrap"],
  ["Rocky Linux", 'ID="rocky"\nID_LIKE="rhel centos fedora"\n', "sudo dnf install bubblewrap"],
  ["Amazon Linux", 'ID="amzn"\nID_LIKE="fedora"\n', "sudo dnf install bubblewrap"],
  ["Alpine", "ID=alpine\n", "sudo apk add bubblewrap"],
  ["Manjaro", "ID=manjaro\nID_LIKE=arch\n", "sudo pacman -S bubblewrap"],
  ["openSUSE", 'ID="opensuse-tumbleweed"\nID_LIKE="opensuse suse"\n', "sudo zypper install bubblewrap"],
])("the cure on %s names the one command", (_, osRelease, command) => {
  const { cure } = missingBubblewrap({ platform: "linux", osRelease, isRoot: false }, packages);
  expect(cure).toBe(`Run \`${command}\`, then restart the bot.`);
});

it("the cure leaves sudo out for root, and installs everything missing at once", () => {
  const machine = { platform: "linux", osRelease: "ID=alpine", isRoot: true };
  expect(missingBubblewrap(machine, ["bubblewrap", "util-linux"]).cure).toContain(
    "`apk add bubblewrap util-linux`",
  );
});

it.each([
  ["another Linux", "linux", "ID=void\n", /package manager/],
  ["a system that does not say what it is", "freebsd", "", /package manager/],
  ["macOS", "darwin", "", /in Docker/],
  ["Windows", "win32", "", /WSL2/],
])("the cure on %s names no command of another system", (_, platform, osRelease, cure) => {
  const lack = missingBubblewrap({ platform, osRelease, isRoot: false }, packages);
  expect(lack.cure).toMatch(cure);
  expect(lack.cure).not.toMatch(/apt-get|dnf|sudo/);
});
