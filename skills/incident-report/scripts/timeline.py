#!/usr/bin/env python3
"""Prints a Markdown timeline of an incident, sorted, with how long each phase took.

Events come as arguments, one each, or one a line on standard input:

    14:02 Deploy begins
    2026-03-06 00:15:30 Errors back to normal

A line without a date is on the date of the line before it, or the next day when its time is more than twelve hours
earlier. Lines before the first dated one lead up to it. Exit status: 0 all read, 1 some lines could not be read (listed on standard error), 2 no event at all.
"""

import argparse
import re
import sys
from datetime import date, datetime, timedelta

EVENT = re.compile(
    r"""^\s*(?:[-*]\s+)?\[?
    (?:(?P<date>\d{4}-\d{2}-\d{2})[T\s]+)?
    (?P<hour>\d{1,2})[:.](?P<minute>\d{2})(?:[:.](?P<second>\d{2}))?
    \s*(?P<half>[AaPp]\.?[Mm]\.?)?
    (?:\s*(?:Z|UTC))?\]?
    (?:\s*[-–—|:]\s*|\s+)(?P<text>\S.*?)\s*$""",
    re.VERBOSE,
)
# Lines without a date that jump back further than this are taken to be on the next day.
NIGHT = timedelta(hours=12)
DATED = re.compile(r"\s*(?:[-*]\s+)?\[?\d{4}-\d{2}-\d{2}")
SOME_DAY = date(2000, 1, 1)


def parse(line, previous, first_day):
    """The time and text of a line, or None when it is no event."""
    match = EVENT.match(line)
    if match is None:
        return None
    hour = int(match["hour"])
    if match["half"]:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if match["half"][0] in "Pp" else 0)
    try:
        day = date.fromisoformat(match["date"]) if match["date"] else (previous.date() if previous else first_day)
        moment = datetime(day.year, day.month, day.day, hour, int(match["minute"]), int(match["second"] or 0))
    except ValueError:
        return None
    if previous and not match["date"] and previous - moment > NIGHT:
        moment += timedelta(days=1)
    return moment, match["text"]


def read(lines, first_day):
    """All events in the order of time, and the lines that could not be read."""
    events, unread, previous = [], [], None
    undated = True
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        event = parse(line, previous, first_day or SOME_DAY)
        if event is None:
            unread.append((number, line.strip()))
            continue
        if undated and DATED.match(line):
            undated = False
            # What stands before the first dated line happened before it, if need be on the day before.
            if first_day is None and previous and previous.date() != event[0].date():
                days = event[0].date() - previous.date()
                if previous + days > event[0]:
                    days -= timedelta(days=1)
                events = [(moment + days, text) for moment, text in events]
        previous = event[0]
        events.append(event)
    events.sort(key=lambda event: event[0])
    return events, unread


def duration(span):
    """45 s, 12 min, 3 h 5 min, 2 d 4 h."""
    seconds = int(span.total_seconds())
    if seconds < 60:
        return f"{seconds} s"
    minutes, rest = divmod(seconds, 60)
    if minutes < 60:
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    if hours < 24:
        return f"{hours} h {minutes} min" if minutes else f"{hours} h"
    days, hours = divmod(hours, 24)
    return f"{days} d {hours} h" if hours else f"{days} d"


def render(events, dated, zone):
    """The Markdown table, then the total."""
    seconds = any(moment.second for moment, _ in events)
    clock = "%H:%M:%S" if seconds else "%H:%M"
    days = {moment.date() for moment, _ in events}
    form = f"%Y-%m-%d {clock}" if dated else clock
    first, last = events[0][0], events[-1][0]
    rows = [f"| Time{f' ({zone})' if zone else ''} | Event | Until the next | Since the start |", "|---|---|---|---|"]
    for index, (moment, text) in enumerate(events):
        after = duration(events[index + 1][0] - moment) if index + 1 < len(events) else "–"
        shown = moment.strftime(form)
        if not dated and len(days) > 1:
            shown += f" (day {(moment.date() - first.date()).days + 1})"
        cell = text.replace("|", "\\|")
        rows.append(f"| {shown} | {cell} | {after} | {duration(moment - first)} |")
    count = "1 event" if len(events) == 1 else f"{len(events)} events"
    return "\n".join([*rows, "", f"**Total:** {duration(last - first)}, {count}."])


def main():
    parser = argparse.ArgumentParser(description="Prints a Markdown timeline with durations.")
    parser.add_argument("events", nargs="*", help='one event each, e.g. "14:02 Deploy begins"; standard input when none')
    parser.add_argument("--date", type=date.fromisoformat, help="the day of the first line, YYYY-MM-DD")
    parser.add_argument("--zone", default="", help="the time zone the times are in, only shown")
    options = parser.parse_args()
    sys.stdin.reconfigure(encoding="utf-8", errors="replace")
    sys.stdout.reconfigure(encoding="utf-8")
    lines = [line for event in options.events for line in event.splitlines()] or sys.stdin.read().splitlines()
    dated = options.date is not None or any(DATED.match(line) for line in lines)
    events, unread = read(lines, options.date)
    for number, line in unread:
        print(f"line {number} is not \"HH:MM text\": {line[:200]}", file=sys.stderr)
    if not events:
        print("No event was read. Give one a line, e.g. 14:02 Deploy begins.", file=sys.stderr)
        return 2
    print(render(events, dated, options.zone))
    return 1 if unread else 0


if __name__ == "__main__":
    sys.exit(main())
