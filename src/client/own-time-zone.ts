/**
 * The `time_zone` of a turn somebody asks for at this machine or in this browser, to be spread into the request: nothing where it
 * is not known.
 */
export function ownTimeZone(): { time_zone?: string } {
  const zone: string | undefined = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return zone === undefined ? {} : { time_zone: zone };
}
