import { mkdir } from "node:fs/promises";
import path from "node:path";
import { type MockModel, startSide } from "./child.ts";
import { type ProfileLine, summariseProfile } from "./cpu-profile.ts";

const warmUp = 200;
const turns = 200;
const lines = 25;

/** Where the CPU of a turn goes: of the bare loop, and ours with the log in memory and in SQLite. */
export async function profileTurns(mock: MockModel, folder: string, keptIn: string): Promise<string> {
  const settings = { baseUrl: mock.url, earlier: 0 };
  const log = path.join(folder, "log-profile");
  await mkdir(log);
  await mkdir(keptIn, { recursive: true });
  const sides = [
    { name: "bare", file: "bare-process.ts", settings },
    { name: "memory", file: "knack-process.ts", settings },
    { name: "sqlite", file: "knack-process.ts", settings: { ...settings, folder: log } },
  ];
  const reports: string[] = [];
  for (const { name, file, settings: given } of sides) {
    const side = await startSide(file, given);
    await side.run({ turns: warmUp });
    const profile = path.join(keptIn, `${name}.cpuprofile`);
    await side.run({ turns, profile });
    await side.stop();
    reports.push(await describe(name, profile));
  }
  return reports.join("\n\n");
}

async function describe(name: string, file: string): Promise<string> {
  const { busyMs, functions, files, charged } = await summariseProfile(file);
  const list = (title: string, all: readonly ProfileLine[]) => [
    `  ${title}`,
    ...all
      .slice(0, lines)
      .map(({ where, percent }) => `  ${percent.toFixed(1).padStart(6)} %  ${perTurn(percent)}  ${where}`),
  ];
  const perTurn = (percent: number) => `${((percent / 100) * (busyMs / turns)).toFixed(3)} ms`;
  return [
    `${name}: ${(busyMs / turns).toFixed(2)} ms a turn while profiled (${file})`,
    ...list("functions, own time", functions),
    ...list("files, own time", files),
    ...list("our functions, with the libraries that worked for them", charged),
  ].join("\n");
}
