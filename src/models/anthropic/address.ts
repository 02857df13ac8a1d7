/** Anthropic's own address. */
export const anthropicUrl = "https://api.anthropic.com";

/** The address without its version, which the SDK adds itself; people give it with and without. */
export function anthropicAddress(baseUrl: string = anthropicUrl): string {
  return baseUrl.replace(/\/v1\/?$/, "");
}
