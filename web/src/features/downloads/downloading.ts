import { useMutation } from "@tanstack/vue-query";
import { shallowRef } from "vue";

import { fetchArchive, type VersionResponse } from "@/api";
import { useErrorMessages } from "@/problems";

import { archiveUrl } from "./versions";

// Enough to contain a part of a file, so that the service has to open it.
const FIRST_BYTES = "bytes=0-65535";

/**
 * Downloads of archives with the browser. It shows no reason for a failed download, so the first bytes are requested
 * before. `started` is the version whose download has started.
 */
export function useDownload() {
  const { toastError } = useErrorMessages();
  const started = shallowRef<VersionResponse | null>(null);
  const trying = useMutation({
    mutationFn: (version: VersionResponse) =>
      fetchArchive({
        path: { version_id: version.id },
        headers: { Range: FIRST_BYTES },
        parseAs: "blob",
        throwOnError: true,
      }),
    onSuccess: (_, version) => {
      save(archiveUrl(version));
      started.value = version;
    },
    onError: toastError,
  });

  /** Follow a link to an archive. With a modifier key, the browser does. */
  function follow(event: MouseEvent, version: VersionResponse): void {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    if (!trying.isPending.value) trying.mutate(version);
  }

  return { follow, started };
}

function save(address: string): void {
  const link = document.createElement("a");
  link.href = address;
  link.download = "";
  link.click();
}
