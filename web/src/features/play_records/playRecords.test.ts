import { expect, test } from "vitest";

import { longerTime } from "./playRecords";

const LAST = "2026-11-20T05:38:00.000Z";
const EARLIER = "2026-11-19T05:38:00.000Z";

test("the server's play time counts, unless this device has played for longer without telling it", () => {
  const record = { seconds: 60, lastPlayed: LAST };
  expect(longerTime(record, { seconds: 30, last: EARLIER })).toEqual({ seconds: 60, last: LAST });
  expect(longerTime(record, { seconds: 90, last: EARLIER })).toEqual({ seconds: 90, last: EARLIER });
  expect(longerTime(undefined, { seconds: 90, last: LAST })).toEqual({ seconds: 90, last: LAST });
});

test("a game with only a note has not been played", () => {
  expect(longerTime({ seconds: 0, lastPlayed: null }, undefined)).toBeNull();
  expect(longerTime(null, undefined)).toBeNull();
});

test("play time of another server may have no date", () => {
  expect(longerTime({ seconds: 60, lastPlayed: null }, undefined)).toEqual({ seconds: 60, last: null });
});
