import type { TagAnswer, TagKind } from "@/api";
import { mentions } from "@/kit/words";

/** The tags that have some words in their name and are of a kind; "" is any. */
export function matching(tags: readonly TagAnswer[], wanted: string, kind: TagKind | ""): TagAnswer[] {
  return tags.filter((tag) => (!kind || tag.kind === kind) && mentions(tag.name, wanted));
}
