/** Text by its byte order mark, else UTF-8, else Windows-1252; undefined for bytes that are no text in any of them. */
export function decodeText(bytes: Uint8Array): string | undefined {
  const encoding = encodingOf(bytes, false);
  return encoding === undefined ? undefined : new TextDecoder(encoding).decode(bytes);
}

/** The encoding of text by how it begins. A character may be cut at the end where `goesOn`. */
export function encodingOf(start: Uint8Array, goesOn: boolean): string | undefined {
  if (start[0] === 0xff && start[1] === 0xfe) return "utf-16le";
  if (start[0] === 0xfe && start[1] === 0xff) return "utf-16be";
  // Control characters other than tab, line ends, form feed and escape: no text in any encoding of bytes.
  if (start.some((byte) => byte < 9 || (byte > 13 && byte < 27) || (byte > 27 && byte < 32)))
    return undefined;
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(start, { stream: goesOn });
    return "utf-8";
  } catch {
    return "windows-1252";
  }
}
