import { describe, expect, it } from "vitest";
import { send, startServer } from "./start-server.ts";

const post = (url: string, body: FormData | string, headers: Record<string, string> = {}) =>
  fetch(`${url}/api/v1/turns`, { method: "POST", body, headers });

function form(text: string | undefined, ...files: File[]): FormData {
  const made = new FormData();
  made.set("namespace", "console:local:general");
  if (text !== undefined) made.set("text", text);
  for (const file of files) made.append("file", file);
  return made;
}

const table = () => new File(["a,b\n1,2\n"], "größen.csv", { type: "text/csv" });

describe("a message with files", () => {
  it("a message with files is handed in as a form, every byte and name unchanged", async () => {
    const { url, asked } = await startServer();
    const answer = await post(
      url,
      form("count them", table(), new File([new Uint8Array([0, 255])], "x.bin")),
    );
    expect(answer.status).toBe(202);
    expect(asked).toMatchObject([
      {
        namespace: "console:local:general",
        text: "count them",
        files: [
          { name: "größen.csv", media_type: "text/csv", data: new TextEncoder().encode("a,b\n1,2\n") },
          { name: "x.bin", media_type: "application/octet-stream", data: new Uint8Array([0, 255]) },
        ],
      },
    ]);
  });

  it("a message with files keeps quotes, percent signs, line breaks and paths in file names", async () => {
    const { url, asked } = await startServer();
    const names = ['a "quoted" name.txt', "50%.txt", "über/unter.txt"];
    await post(url, form("hi", ...names.map((name) => new File(["x"], name, { type: "text/plain" }))));
    expect(asked).toMatchObject([{ files: names.map((name) => ({ name })) }]);
  });

  it("a message with files is refused with more parts than a form may have", async () => {
    const { url, asked } = await startServer();
    const part = '--x\r\ncontent-disposition: form-data; name="field"\r\n\r\nx\r\n';
    const answer = await post(url, `${part.repeat(1_001)}--x--\r\n`, {
      "content-type": "multipart/form-data; boundary=x",
    });
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining("1000 parts")]);
    expect(asked).toEqual([]);
  });

  it("a message with files needs no text", async () => {
    const { url } = await startServer();
    expect((await post(url, form(undefined, table()))).status).toBe(202);
  });

  it("a message with files says what is wrong with a form that is cut off, or has no place", async () => {
    const { url, asked } = await startServer();
    const type = { "content-type": "multipart/form-data; boundary=x" };
    const damaged = [
      '--x\r\nContent-Disposition: form-data; name="text"\r\n\r\nhal',
      '--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nhal',
      '--x\r\nContent-Disposition: form-data; name="te',
      "--y\r\n",
      "",
    ];
    for (const body of damaged) expect([body, (await post(url, body, type)).status]).toEqual([body, 400]);
    const unbounded = await post(url, "--x--", { "content-type": "multipart/form-data;" });
    expect(unbounded.status).toBe(400);
    const wrong = form("hi", table());
    wrong.set("namespace", "no place");
    const refused = await post(url, wrong);
    expect([refused.status, await refused.text()]).toEqual([
      400,
      expect.stringContaining("platform:workspace:channel"),
    ]);
    expect(asked).toEqual([]);
  });

  it("a message with files that says it is larger than the limit of all files is refused unread", async () => {
    const { url, asked } = await startServer();
    const headers = { "content-type": "multipart/form-data; boundary=x", "content-length": "102000000" };
    const answer = await send(url, { method: "POST", path: "/api/v1/turns", headers });
    expect([answer.status, answer.text]).toEqual([413, expect.stringContaining("MB")]);
    expect(asked).toEqual([]);
  });

  it("a message with files from a page of another site is refused", async () => {
    const { url, asked } = await startServer();
    const answer = await post(url, form("hi", table()), { origin: "https://evil.example" });
    expect(answer.status).toBe(403);
    expect(asked).toEqual([]);
  });
});
