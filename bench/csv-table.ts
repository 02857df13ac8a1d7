import { createReadStream } from "node:fs";
import { open, rm } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";
import { createDocumentReader } from "../src/documents/create-document-reader.ts";
import { type Measure, median, relative } from "./measure.ts";

const bytes = 100_000_000;
const rowsAtOnce = 10_000;
const runs = 5;

/** A table of 100 MB in text, from the question to its columns, rows and beginning, against reading its lines once. */
export async function measureCsvTable(folder: string): Promise<Measure[]> {
  const file = path.join(folder, "table.csv");
  const rows = await writeTable(file);
  const ours: number[] = [];
  const lines: number[] = [];
  for (let run = 0; run < runs; run += 1) {
    lines.push(await timed(() => readLines(file)));
    ours.push(await timed(() => readTable(file, rows)));
  }
  await rm(file);
  return [
    relative({
      name: "A CSV table of 100 MB, against its lines",
      ours: median(ours),
      baseline: median(lines),
      target: 2,
      unit: "ms",
    }),
  ];
}

async function writeTable(file: string): Promise<number> {
  const handle = await open(file, "w");
  await handle.write("id,name,city,amount,comment\n");
  let rows = 0;
  for (let written = 0; written < bytes; ) {
    const lines = Array.from({ length: rowsAtOnce }, (_, at) => {
      const id = rows + at;
      return `${id},Name ${id},Berlin,${id % 1_000}.${id % 100},some comment text ${id}\n`;
    });
    rows += rowsAtOnce;
    written += (await handle.write(lines.join(""))).bytesWritten;
  }
  await handle.close();
  return rows;
}

async function readLines(file: string): Promise<void> {
  let lines = 0;
  for await (const _line of createInterface({ input: createReadStream(file) })) lines += 1;
  if (lines === 0) throw new Error("No line was read");
}

async function readTable(file: string, rows: number): Promise<void> {
  const handle = await open(file);
  const { signal } = new AbortController();
  const read = await createDocumentReader().table({ name: "table.csv", descriptor: handle.fd }, signal);
  await handle.close();
  if (!read.ok || read.table.rows !== rows)
    throw new Error(`The table was not read: ${JSON.stringify(read)}`);
}

async function timed(work: () => Promise<void>): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}
