/** 128 random bits as hex. Unlike `crypto.randomUUID` it also works on a page that was not loaded over HTTPS. */
export function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
