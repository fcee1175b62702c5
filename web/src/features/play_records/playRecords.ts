import { useQuery } from "@tanstack/vue-query";
import { computed } from "vue";

import { listPlayRecordsOptions, type PlayRecordResponse } from "@/api";
import { useAgent } from "@/features/client/agent";

/** How long a game has been played, in seconds, and when the last run began if that is known. */
export interface PlayTime {
  seconds: number;
  last: string | null;
}

/** The user's play records of all games, by the id of the game. */
export function usePlayRecords() {
  const records = useQuery({ ...listPlayRecordsOptions(), shallow: true });
  return computed(() => new Map((records.data.value ?? []).map((each) => [each.gameId, each])));
}

/** The user's play record of one game, null without one, undefined until it is known. */
export function usePlayRecordOf(gameId: () => string) {
  const records = useQuery(
    computed(() => ({ ...listPlayRecordsOptions({ query: { game: gameId() } }), shallow: true })),
  );
  return computed(() => records.data.value && (records.data.value[0] ?? null));
}

/** The longer play time: that of all devices, or that of this one as long as the server does not know it. */
export function longerTime(
  record: Pick<PlayRecordResponse, "seconds" | "lastPlayed"> | null | undefined,
  here: { seconds: number; last: string } | undefined,
): PlayTime | null {
  if (here && here.seconds > (record?.seconds ?? -1)) return { seconds: here.seconds, last: here.last };
  if (!record || (!record.seconds && !record.lastPlayed)) return null;
  return { seconds: record.seconds, last: record.lastPlayed };
}

/** The play time of one game, null if it has not been played. */
export function usePlayTime(gameId: () => string) {
  const record = usePlayRecordOf(gameId);
  const { state } = useAgent();
  return computed(() =>
    longerTime(
      record.value,
      state.value?.played.find(({ game }) => game === gameId()),
    ),
  );
}
