import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { createSandbox } from "../src/sandbox/create-sandbox.ts";
import { temporaryFolders } from "../test/support/temporary-folders.ts";
import { limited, type Measure, median } from "./measure.ts";

const runs = 30;
const place = { namespace: "console:local:bench", thread: "code" };

/** The cost of an empty program in a used thread folder, compared with bubblewrap alone. */
export async function measureCodeStart(folder: string): Promise<Measure[]> {
  const { code } = await createSandbox({ dataDir: path.join(folder, "code-data") });
  const thread = temporaryFolders().of(place);
  const { signal } = new AbortController();
  const runCode = async (call_id: string) => {
    const how = { writer: { kind: "agent" as const }, turn_id: "bench", call_id, text: "" };
    const { value } = await thread.use(
      how,
      (working) =>
        code.run({
          language: "bash",
          code: "true",
          working,
          signal,
          timeout_ms: 10_000,
          max_output_bytes: 1_000,
        }),
      signal,
    );
    if (value.status !== "exited" || value.exit_code !== 0) throw new Error(JSON.stringify(value));
  };
  await runCode("warm");
  const ours: number[] = [];
  const bare: number[] = [];
  for (let at = 0; at < runs; at += 1) {
    ours.push(await timed(() => runCode(`run${at}`)));
    bare.push(await timed(runBare));
  }
  await thread.clear();
  return [
    limited({
      name: "Start of code in a thread's folder, beyond bare bwrap",
      ours: median(ours) - median(bare),
      target: 60,
      unit: "ms",
    }),
  ];
}

async function runBare(): Promise<void> {
  const shown = ["--ro-bind", "/", "/", "--unshare-all", "--die-with-parent"];
  await promisify(execFile)("bwrap", [...shown, "bash", "-c", "true"]);
}

async function timed(work: () => Promise<void>): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}
