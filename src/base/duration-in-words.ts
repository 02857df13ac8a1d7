/** `less than a minute`, `1 minute`, `40 minutes`, `5 hours`, `3 days`. */
export function durationInWords(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 1) return "less than a minute";
  const hours = Math.round(minutes / 60);
  if (minutes < 120) return counted(minutes, "minute");
  return hours < 48 ? counted(hours, "hour") : counted(Math.round(hours / 24), "day");
}

function counted(count: number, unit: string): string {
  return count === 1 ? `1 ${unit}` : `${count} ${unit}s`;
}
