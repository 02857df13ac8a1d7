/** All bytes of a body. @throws what `tooLarge` returns, as soon as there are more than `maxBytes` */
export async function readAtMost(
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array> | null,
  maxBytes: number,
  tooLarge: () => Error,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
