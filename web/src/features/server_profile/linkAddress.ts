import { useQuery } from "@tanstack/vue-query";
import { computed, ref } from "vue";

import { type LinkAddress, showInvitationAddressOptions } from "@/api";

/** Return the base of a link: the chosen one, or one that others can open if the known one is local. */
export function baseOf(known: LinkAddress, chosen: string): string {
  return chosen || (known.local && known.alternatives[0]) || known.address;
}

/** A link of the service, with an address that others can open if there is one. */
export function useLinkAddress(url: () => string) {
  const query = useQuery(showInvitationAddressOptions());
  const chosen = ref("");
  const link = computed(() => {
    const known = query.data.value;
    return known && url().startsWith(known.address)
      ? baseOf(known, chosen.value) + url().slice(known.address.length)
      : url();
  });
  return { address: query.data, chosen, link };
}
