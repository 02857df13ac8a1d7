/**
 * The id of a flow, made from its name as AnythingLLM makes tool names: `Daily Report!` is `daily_report`. A name without a
 * Latin letter or digit gives `flow_` and the file's name, which is the flow's UUID there.
 */
export function flowId(name: string, fileName: string): string {
  const sanitised = name
    .toLowerCase()
    .trim()
    .replace(/\s+/g, "_")
    .replace(/[^a-z0-9_-]/g, "")
    .replace(/_+/g, "_")
    .replace(/^[-_]+|(?<![-_])[-_]+$/g, "")
    .slice(0, 64);
  return sanitised === "" ? flowAlias(fileName) : sanitised;
}

/** What hubs and exports call a flow: `flow_UUID`. */
export function flowAlias(fileName: string): string {
  return `flow_${fileName.replace(/\.json$/i, "")}`;
}
