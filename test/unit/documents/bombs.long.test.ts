import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, ftruncateSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { constants, deflateRawSync, deflateSync } from "node:zlib";
import { expect, it } from "vitest";
import { createDocumentReader } from "../../../src/documents/create-document-reader.ts";
import { defaultLimits, type ReadRequest } from "../../../src/documents/read-limits.ts";
import { pdfOf, stream } from "../../support/documents/make-pdf.ts";
import { readBytes, withFile } from "../../support/documents/read-bytes.ts";

/** A PDF of one page whose content unpacks to this. */
function pdfWith(content: Uint8Array, filter: string): Buffer {
  return pdfOf([
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents 5 0 R >>",
    stream(content, `/Filter ${filter}`),
  ]);
}

/** What unpacks to many times a part, packed without packing all of it (RFC 1950, 1951). Its checksum is left out. */
function packed(part: Uint8Array, times: number): Buffer {
  const one = deflateRawSync(part, { finishFlush: constants.Z_FULL_FLUSH });
  const lastBlock = Buffer.from([0x03, 0x00]);
  return Buffer.concat([Buffer.from([0x78, 0x9c]), ...Array<Buffer>(times).fill(one), lastBlock]);
}

/** Four million lines of text on one page. */
const lines = Buffer.from("BT /F1 24 Tf 72 700 Td (text) Tj ET\n".repeat(10_000));
const busy = pdfWith(packed(lines, 400), "/FlateDecode");

it("a PDF whose content unpacks twice to 2 GB is stopped [text-1]", async () => {
  const bomb = pdfWith(deflateSync(packed(Buffer.alloc(2_000_000), 1_000)), "[/FlateDecode /FlateDecode]");
  expect(await readBytes("a.pdf", bomb, { memoryBytes: 400_000_000 })).toEqual({
    ok: false,
    problem: expect.stringMatching(/more than 400 MB of memory/),
  });
});

it("a busy reading is stopped when its time is up [text-1]", async () => {
  expect(await readBytes("a.pdf", busy, { timeoutMs: 1_000 })).toEqual({
    ok: false,
    problem: expect.stringMatching(/took longer than 1 s/),
  });
});

it("a busy reading is stopped when it is aborted", async () => {
  await expect(readBytes("a.pdf", busy, {}, AbortSignal.timeout(700))).rejects.toThrow(
    /aborted due to timeout/,
  );
});

it("a busy reading process ends when the bot is gone", async () => {
  await withFile("a.pdf", busy, async ({ descriptor }) => {
    const entry = fileURLToPath(new URL("../../../src/documents/inside/reader-process.ts", import.meta.url));
    const request: ReadRequest = { as: "pdf", bytes: busy.length, limits: defaultLimits };
    const child = spawn(process.execPath, [entry], { stdio: ["pipe", "pipe", "inherit", descriptor] });
    child.stdin?.write(`${JSON.stringify(request)}\n`);
    const ended = once(child, "exit");
    const kilobytes = () => Number(spawnSync("ps", ["-o", "rss=", "-p", `${child.pid}`]).stdout);
    await expect.poll(kilobytes, { timeout: 30_000 }).toBeGreaterThan(300_000);
    child.stdin?.end();
    expect(await ended).toEqual([null, "SIGKILL"]);
    // Not by its limit on memory.
    expect((await text(child.stdout ?? Readable.from([]))).trim()).toBe("");
  });
});

it("a table whose only line has 500 MB is read in little memory", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "table-"));
  const descriptor = openSync(path.join(folder, "a.csv"), "w+");
  try {
    // Most of it is a hole that takes no room on the disk.
    writeSync(descriptor, `a,b\n${"x".repeat(1_100_000)}`);
    ftruncateSync(descriptor, 500_000_000);
    const reader = createDocumentReader({ memoryBytes: 250_000_000 });
    const read = await reader.table({ name: "a.csv", descriptor }, new AbortController().signal);
    expect(read).toMatchObject({ ok: true, table: { columns: ["a", "b"], rows: 1 } });
  } finally {
    closeSync(descriptor);
    rmSync(folder, { recursive: true });
  }
});
