import type { TagResponse, TagKind } from "@/api";
import { matchesWords } from "@/kit/textSearch";

/** The tags of a kind with a matching name; "" is any kind. */
export function matching(tags: readonly TagResponse[], wanted: string, kind: TagKind | ""): TagResponse[] {
  return tags.filter((tag) => (!kind || tag.kind === kind) && matchesWords(tag.name, wanted));
}
