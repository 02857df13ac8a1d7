/** A person is only sent to a page whose address nobody can read on the way, or that is as near as the server itself. */
export function isOpenable({ protocol }: URL, serverUrl: string): boolean {
  if (protocol === "https:") return true;
  return protocol === "http:" && new URL(serverUrl).protocol === "http:";
}
